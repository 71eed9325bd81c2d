"""Eq. (7), Sigma = I: scores of two tokens on the circle differ by half of what the printed exponents do."""
from fractions import Fraction as F

M, (u, v, x) = ((F(-3, 2), F(11, 2)), (F(-3), F(5))), (F(-1, 3), F(7, 3), F(1, 4))
point = lambda p: ((1 - p**2) / (1 + p**2), 2 * p / (1 + p**2))
(a, b), (c, d), q = point(u), point(v), point(x)
z = [row[0] * q[0] + row[1] * q[1] for row in M]
left, right = (a - c) * z[0] + (b - d) * z[1], (c - z[0]) ** 2 + (d - z[1]) ** 2 - (a - z[0]) ** 2 - (b - z[1]) ** 2
print("M, u, v, x =", *M[0], *M[1], u, v, x, "; scores", left, "; exponents", right)
assert right == 2 * left != 0
