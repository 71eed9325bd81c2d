"""What equations are tried with: drawn numbers and matrices, and values of expressions and matrix
words as they are written, with bounds of their rounding errors.
"""
