"""Lemma G.3, d = 6, m = 1: the sum is e^(-alpha), and the bound e^(-alpha - 1/2)."""
from math import exp

d, m, alpha = 6, 1, 11 / 10
left, right = exp(-alpha), exp(-alpha - 1 / 2)
print("d = 6, m = 1, alpha = 11/10; left", left, "; right", right, "; left minus right", left - right)
assert left > right
