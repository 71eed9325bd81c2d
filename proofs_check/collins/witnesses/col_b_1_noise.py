"""Proof of Lemma B.1: noise 2a with probability 1/3 and -a else has the mean 0 and is not symmetric."""
from fractions import Fraction as F

a = F(1)
mean, third = 2 * a / 3 - a * 2 / 3, (2 * a) ** 3 / 3 - a**3 * 2 / 3
print("a =", a, "; mean", mean, "; third moment and a^3:", third + a**3, "; if symmetric", a**3)
assert mean == 0 != third
