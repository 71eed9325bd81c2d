"""Theorem 5.2: alpha in the printed range, but not in that of Zhang et al. d = 1, |Theta Theta'|_F = 1, alpha = 2, Sigma = 1/2."""
from math import sqrt

d, Sigma, alpha = 1, 1 / 2, 2
print("alpha =", alpha, "<", sqrt(2) / (d**0.25 * Sigma), "; the source needs", alpha**2 * 1 * sqrt(d) * Sigma, "<", 2)
assert alpha < sqrt(2) / (d**0.25 * Sigma) and not alpha**2 * 1 * sqrt(d) * Sigma < 2
