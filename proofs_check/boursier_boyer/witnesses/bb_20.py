"""Equation (20): tokens and query 1 or -1 with probability 1/2 (sigma = 1), d = 1, U = 1, f = id; the same for both queries."""
from math import exp

U = z = 1
E1 = (exp(U * z) + exp(-U * z)) / 2  # E exp(Z1 U z) = E exp(Z1 U z) |Z1|^4
left, right = ((exp(U * z) - exp(-U * z)) / 2) ** 4 / E1**4, E1 / E1**4
print(left, "<=", right)
assert left > right
