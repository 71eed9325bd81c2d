"""Lemma C.1: the least printed delta, at L = 1, sigma = 2, |Uz| = 1; the proof needs alpha_- <= 1/2."""
from math import exp, log, sqrt

L, sigma, n = 1, 2, 1
delta = exp(-L / 8 * exp(-2 * n**2))
alpha = exp(sigma**2 * n**2) * sqrt(2 * log(1 / delta) / L)
print("delta =", delta, " alpha_- =", alpha, "<=", 1 / 2)
assert alpha > 1 / 2
