"""Remark 2.1 (ii): another token gets the share h; labels have the variance v, noise the variance s."""
from fractions import Fraction as F

v, s, h = F(1), F(1), F(1, 3)
error = 2 * v * h**2 + s * (h**2 + (1 - h) ** 2)
print("v, s, h =", v, s, h, "; error", error, "; of the nearest token alone", s)
assert error < s
