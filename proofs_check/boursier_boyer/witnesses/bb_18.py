"""Equation (18): tokens N(0, s^2), query N(0, 1), f(z) = z, g = 1, d = U = L = 1; the error of one token is N(0, s^2 + s^4)."""

from math import exp, log, sqrt

L = 1
for s, c1, c2, c3, c4 in [(1, 1, 1, 1, 1), (1e6, 1e9, 1e-9, 1e9, 1e9)]:
    left = 3 * (s**2 + s**4) ** 2
    right = c1 * s**4 * L**1.5 * exp(-c2 * sqrt(L) / s**2) + c3 / L ** (1 / 6) + c4 * s**8 * log(L) ** 2 / L ** (1 / (384 * s**2))
    print(left, "<=", right)
    assert left > right
