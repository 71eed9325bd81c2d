"""Theorem 3.4, Case 1: the upper exponent of Theorem E.2 is larger than 2/(d + 2)."""
from fractions import Fraction as F

d = 2
proved, printed = F(2 * (d + 2), d * (d + 4)), F(2, d + 2)
print("d =", d, "; proved", proved, "; printed", printed)
assert proved > printed
