"""Lemma C.9: one token, 1 or -1 with probability 1/2 (sigma = 1), f(z) = z, g = 1, d = 1, U = 0, any query; R/S = 0."""

from math import log

L, sigma = 1, 1
left = sum((z_1 - 0) ** 4 / 2 for z_1 in (1, -1))
for c1, c2 in [(1, 1), (1e300, 1e-300)]:  # the factor ln(1) = 0 makes every other choice as good
    right = c1 * sigma**12 * log(L) ** 2 / L ** (c2 / sigma**2)
    print(left, "<=", right)
    assert left > right
