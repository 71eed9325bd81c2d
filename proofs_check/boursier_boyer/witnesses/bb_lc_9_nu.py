"""Lemma C.9: queries n, -n with probability q/2 each, else 0; g(z) = exp(z^2), f(z) = z, tokens 1, -1, U = 0, L = 2, sigma = 1."""

from math import exp, log

for n, c1, c2 in [(1, 1, 1), (4, 10**3, 1e-3)]:
    q = exp(-(n**2)) / n**2  # then the query is 1-sub-Gaussian
    moment = q * exp(n**2) ** 4 + 1 - q
    left = moment * (1 + 0 + 0 + 1) / 4  # the mean of two signs is 1, 0, 0, -1
    print("n =", n, ":", left, "<=", c1 * log(2) ** 2 / 2**c2)
    assert left > c1 * log(2) ** 2 / 2**c2
