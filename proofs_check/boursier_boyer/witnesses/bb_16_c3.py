"""Equation (16), U = 0 (last term 0): tokens N(0, s^2), f(z) = z, g = p = d = 1, s = k^2, L = k^5; the error is s^2/L = 1/k."""

from math import exp, log

for k, c1, c2, c3 in [(116, 1, 1, 1), (10**12, 1e9, 1e-6, 1e5)]:
    s, L = k**2, k**5
    left, right = s**2 / L, c1 * s**2 * L**1.5 * exp(-c2 * L / s**2) + c3 * log(L) / L ** (1 / 3)
    print("s =", s, ", L =", L, ":", left, "<=", right)
    assert left > right
