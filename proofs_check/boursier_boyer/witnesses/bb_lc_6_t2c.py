"""C.3, Term 2: tokens 1/k, -1/k with probability 1/2 (sigma = 1), query 0, f(z) = z, g = 1, p = d = U = 1, L = k^2."""

from math import exp

for k, c1, c2 in [(1, 1, 1), (10**3, 1e9, 1e-3)]:
    L, K = k**2, 1 / k**2  # K = sqrt(E|f|^4)
    left = 2 * 16 * L * exp(2) * exp(-(L / 2 - 1) * K / 16)
    print("k =", k, ":", left, "<=", c1 * L**1.5 * exp(-c2 * L))
    assert left > c1 * L**1.5 * exp(-c2 * L)
