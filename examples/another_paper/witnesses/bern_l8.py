"""Lemma 8: a fair coin, thrown once, is 1/2 away from its mean, always; the bound says 0.607 at most."""
from math import exp

n, s = 1, 0.5
left, right = 1.0, exp(-2 * n * s**2)
print("P(|mean - 1/2| >= 1/2) =", left, "<=", right)
assert left > right
