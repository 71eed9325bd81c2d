"""Theorem E.3 quotes Theorem E.2, whose upper exponent is not 2 beta."""
from fractions import Fraction as F

d = 2
found, printed = F(2 * (d + 2), d * (d + 4)), F(2, d + 2)
print("d =", d, "; upper exponent", found, "; 2 beta", printed)
assert found != printed
