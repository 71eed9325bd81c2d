"""Lemma C.7: the points of xi_theta have the inner product theta, always; for independent ones its
square has the mean 1/2 (d = 2).
"""
from fractions import Fraction as F

theta = F(-1)
found = ((1 + theta) / 2 - (1 - theta) / 2) ** 2
print("theta =", theta, "; squared inner product", found, "; independent", F(1, 2))
assert found != F(1, 2)
