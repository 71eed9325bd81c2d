"""C.5, Term 2: tokens 1/k, -1/k with probability 1/2 (sigma = 1), query 0, f(z) = z, g = 1, d = U = 1, L = k^4."""

from math import exp, sqrt

for k, c1, c2 in [(1, 1, 1), (10**3, 1e9, 1e-3)]:
    L, K = k**4, 1 / k**2  # K = sqrt(E|f|^4) = sqrt(E|Z|^4)
    left = 16**3 * L * exp(2) * (1 + sqrt(L) / (32 * sqrt(2)) * K) * exp(-(sqrt(L / 8) - 1) * K / 16)
    print("k =", k, ":", left, "<=", c1 * L**1.5 * exp(-c2 * sqrt(L)))
    assert left > c1 * L**1.5 * exp(-c2 * sqrt(L))
