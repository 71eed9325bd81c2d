"""Lemma E.2 at L = 1: y = x = +-1, U = 0, last row (0, 1) of V, loss (output - y)^2/4; the output is y_1, or 0 for L = oo."""

from fractions import Fraction
from itertools import product
from math import log

left = sum(Fraction(1, 4) * Fraction((a - b) ** 2 - b**2, 4) for a, b in product((1, -1), repeat=2))
print("|R_1 - R_inf| =", left, "<= constants * ln(1)^(1/2) =", log(1))
assert left > log(1)
