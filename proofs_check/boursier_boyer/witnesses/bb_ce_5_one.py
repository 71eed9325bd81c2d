"""Corollary E.5 at L = 1: task y = 0, tokens (x, 0) with x = +-1, U = 0, row (v, 0) of V at v = 1; R_1 = E(v x)^2/2, R_inf = 0."""

from math import log

h = 1e-6
R_1 = lambda v: sum((v * x) ** 2 / 2 for x in (1, -1)) / 2
left = (R_1(1 + h) - R_1(1 - h)) / (2 * h)  # R_inf = 0 for all v at U = 0
print("|grad R_1 - grad R_inf| >=", left, "<= g_2(1) <= constants * ln(1)^(1/2) =", log(1))
assert left > log(1)
