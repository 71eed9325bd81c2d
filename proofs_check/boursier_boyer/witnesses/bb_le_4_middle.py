"""Lemma E.4, middle term: sigma^2 = 2 constant, L = 2, c_2 = 1; the root of Y = sigma^6 ln(L)/L^(c_2/sigma^2)."""

from math import log, sqrt

s2, L, c2 = 2, 2, 1
Y = s2**3 * log(L) / L ** (c2 / s2)
printed = sqrt(sqrt(s2**3) * sqrt(log(L)) / L ** (c2 / (2 * s2)))
print("sqrt(Y) =", sqrt(Y), "<=", printed)
assert sqrt(Y) > printed
