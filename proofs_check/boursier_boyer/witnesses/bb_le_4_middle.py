"""Lemma E.4, middle term: sigma^2 = v = 2 constant, L = 2, c_2 = 1; t = E|T|^2 = 0, y = E|y|^2 = 0; Y = sigma^6 ln(L)/L^(1/v)."""

from math import log, sqrt

v, L, t, y = 2, 2, 0, 0
Y = v**3 * log(L) / L ** (1 / v)
left, right = 4 * (t**2 + Y + y**2), (2 * (t + sqrt(sqrt(v**3) * sqrt(log(L)) / L ** (1 / (2 * v))) + y)) ** 2
print(left, "<=", right)
assert left > right
