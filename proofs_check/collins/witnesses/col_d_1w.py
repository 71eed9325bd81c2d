"""Lemma D.1, worst case: the noise term is sigma2 times a sum s of squared weights, and sigma2 may exceed 1."""
from fractions import Fraction as F

sigma2, s = F("3"), F("1/2")
print("sigma2, s =", sigma2, s, "; noise term", sigma2 * s)
assert sigma2 * s > 1
