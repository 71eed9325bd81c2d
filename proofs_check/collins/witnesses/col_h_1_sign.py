"""One token has the weight 1 at every c, so that J(c) = E (u_1 - u)^2 = 2 for k = 1, also at c = 0."""
from math import exp

n = 1
J = lambda c: sum((exp(c * s) / exp(c * s) * (s - 1)) ** 2 for s in (1, -1)) / 2
print(n, J(0), J(0.5), J(2))
assert J(0) <= min(J(0.5), J(2))
