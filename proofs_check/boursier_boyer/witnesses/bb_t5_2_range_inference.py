"""Theorem 5.2: alpha in the printed range, but not in that of Zhang et al. d = 1, |Theta Theta'|_F = 1, Sigma = 1/4, t = 1/2."""
from math import sqrt

d, Sigma, t = 1, 1 / 4, 1 / 2
alpha = t * sqrt(2) / (d**0.25 * Sigma)
print("alpha =", alpha, "is", t, "times its bound; the source needs", alpha**2 * 1 * sqrt(d) * Sigma, "<", 2)
assert alpha < sqrt(2) / (d**0.25 * Sigma) and not alpha**2 * 1 * sqrt(d) * Sigma < 2 - 1e-12
