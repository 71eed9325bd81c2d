"""Equation (16): tokens N(0, s^2), query N(0, 1), f(z) = z, g = p = d = U = L = 1; R/S = s^2 z, so the error is s^2 + s^4."""

from math import exp, log

for s, c1, c2, c3, c4 in [(1, 1, 1, 1, 1), (1e6, 1e9, 1e-9, 1e9, 1e9)]:
    L, left = 1, s**2 + s**4
    right = c1 * s**2 * L**1.5 * exp(-c2 * L / s**2) + c3 * log(L) / L ** (1 / 3)
    right += c4 * s**4 * log(L) / L ** (1 / (192 * s**2))
    print(left, "<=", right)
    assert left > right
