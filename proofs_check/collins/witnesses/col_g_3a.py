"""Proof of Lemma G.3: 1/(1 - e^(-x)) <= 2/x fails near 2."""
from math import exp

x = 5/3
print("x =", "5/3", "; left", 1 / (1 - exp(-x)), "; right", 2 / x)
assert 1 / (1 - exp(-x)) > 2 / x
