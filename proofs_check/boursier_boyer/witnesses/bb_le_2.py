"""Lemma E.2: task y = 0, tokens (x, 0) with x = +-1, U = 0, last row (1, 0) of V, L = 2, loss (output - y)^2/2; R_inf = 0."""

from fractions import Fraction
from itertools import product

y = 0
left = sum(Fraction(1, 4) * Fraction(a + b, 2) ** 2 / 2 for a, b in product((1, -1), repeat=2))
print("|R_L - R_inf| =", left, "<= constants * (E y^4)^(1/4) =", y)
assert left > y
