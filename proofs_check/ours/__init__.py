"""The claims about our own results: what replaces false statements, makes constants explicit, or
goes further.
"""
