"""Eq. (8), Sigma = I, M = wI: scores of two tokens on the circle differ by half of what the printed exponents do."""
from fractions import Fraction as F

u, v, x, w = F(2, 3), F(-3, 2), F(-1), F(1)
point = lambda p: ((1 - p**2) / (1 + p**2), 2 * p / (1 + p**2))
(a, b), (c, d), (e, f) = point(u), point(v), point(x)
left, right = w * ((a - c) * e + (b - d) * f), w * ((c - e) ** 2 + (d - f) ** 2 - (a - e) ** 2 - (b - f) ** 2)
print("u, v, x, w =", u, v, x, w, "; scores", left, "; exponents", right)
assert right == 2 * left != 0
