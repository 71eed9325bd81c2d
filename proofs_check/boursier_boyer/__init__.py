"""The claims about Boursier & Boyer, one module for each numbered statement, its steps, or a
section.
"""
