"""Appendix C: on the sphere the exponent -w|x_i - x|^2 is +2w x_i'x up to a constant."""
from fractions import Fraction as F

u, v, x, w = F(2, 3), F(-3, 2), F(-1), 1
(a, b), (c, d), (e, f) = (((1 - p**2) / (1 + p**2), 2 * p / (1 + p**2)) for p in (u, v, x))
true = w * ((c - e) ** 2 + (d - f) ** 2 - (a - e) ** 2 - (b - f) ** 2)
printed = -2 * w * ((a - c) * e + (b - d) * f)
print("u, v, x, w =", u, v, x, w, "; exponents differ by", true, "; printed", printed)
assert true != printed
