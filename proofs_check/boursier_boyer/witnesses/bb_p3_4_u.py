"""Proposition 3.4, gradient in U: tokens and query 1 or -1 with probability 1/2 (sigma = 1), d = V = 1, U = 0, L = 1."""

from math import log

L, sigma, z = 1, 1, 1
of_one, of_mu = [(z_1**2 - z_1**2) * z for z_1 in (1, -1)], ((1**2 + (-1) ** 2) / 2 - ((1 - 1) / 2) ** 2) * z
left = sum((gradient - of_mu) ** 2 / 2 for gradient in of_one)  # the gradient is the softmax variance of the tokens times z
for c1, c2 in [(1, 1), (1e300, 1e-300)]:
    print(left, "<=", c1 * sigma**12 * log(L) ** 2 / L ** (c2 / sigma**2))
    assert left > c1 * sigma**12 * log(L) ** 2 / L ** (c2 / sigma**2)
