"""Figures 1 to 8 of Boursier & Boyer: what is trained for them, the numbers, and the page on which
they are drawn.
"""
