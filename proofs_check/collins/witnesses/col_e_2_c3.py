"""Theorem E.2, d = 3: where n = w^(5/2), as printed, the parts of the slope do not cancel."""
from fractions import Fraction
w = Fraction(2, 3)
lhs, rhs = Fraction(1, 2) / w**3, 2 / w**3  # (1/2) w^(-1/2)/n and 2/w^3
print("e = 1, w =", w, "; lhs =", lhs, "; rhs =", rhs)
assert lhs != rhs
