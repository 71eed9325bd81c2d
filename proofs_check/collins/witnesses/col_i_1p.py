"""Lemma I.1, last line, f(x) = e^(-l x): the sum over i >= 1 is 1/(e^l - 1), the integral minus the maximum 1/l - 1."""
from math import exp

l = 1
print("l =", "1", "; sum", 1 / (exp(l) - 1), "; integral minus maximum", 1 / l - 1)
assert 1 / (exp(l) - 1) > 1 / l - 1
