"""Proposition 3.4, gradient in V: one token, 1 or -1 with probability 1/2 (sigma = 1), d = V = 1, U = 0, any query."""

from math import log

L, sigma = 1, 1
left = sum((z_1 - 0) ** 2 / 2 for z_1 in (1, -1))
for c1, c2 in [(1, 1), (1e300, 1e-300)]:  # the factor ln(1) = 0 makes every other choice as good
    right = c1 * sigma**6 * log(L) / L ** (c2 / sigma**2)
    print(left, "<=", right)
    assert left > right
