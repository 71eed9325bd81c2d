"""Lemma C.1: a delta above the least printed one, at L = 3, sigma = 2, |Uz| = 1/3; the proof needs alpha_- <= 1/2."""
from math import exp, log, sqrt

L, sigma, n, delta = 3, 2, 1 / 3, 3 / 4
least = exp(-L / 8 * exp(-2 * n**2))
alpha = exp(sigma**2 * n**2) * sqrt(2 * log(1 / delta) / L)
print("delta = 3/4 >=", least, ", n = 1/3, alpha_- =", alpha, "<=", 1 / 2)
assert least <= delta < 1 and alpha > 1 / 2
