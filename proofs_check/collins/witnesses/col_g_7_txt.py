"""Proof of Lemma G.7: two terms of the series bound the logarithm from below."""
from math import log, sqrt

d = 1
two = 1 / sqrt(d) - 1 / (2 * d)
print("d =", d, "; log(1 + 1/sqrt d) =", log(1 + 1 / sqrt(d)), "; two terms", two)
assert log(1 + 1 / sqrt(d)) > two
