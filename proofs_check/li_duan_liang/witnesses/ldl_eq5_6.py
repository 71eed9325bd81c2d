"""Eqs. (5) and (6) at Q = 0: N tokens whose responses sum to Y, and the query with the response 0."""
from fractions import Fraction as F

N, Y = 2, 3
left, right = F(Y, N + 1), F(Y, N)
print("(5):", left, "(6):", right, "difference", right - left)
assert left != right
