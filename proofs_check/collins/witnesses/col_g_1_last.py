"""Lemma G.1, last link, d = 3 (its power 2/(d-1) = 1)."""
from math import exp

epsilon = 1 / 2
left, right = 2 * epsilon - epsilon**2, 2 * epsilon * exp(-3 * epsilon / 4)
print("epsilon =", "1/2", "; left", left, "; right", right)
assert left > right
