"""Features 0, e_2, ..., e_K, tasks +-L/2 on halves: the loss at the query 0 alone, for every Q."""
from fractions import Fraction as F

L = 2
for K in (4, 400):
    N, delta, epsilon = 2000 * K**3, F(1, 10 * K), F(1, K)
    left, right = F(1, 2) * F(1, K) * F(L, 2) ** 2, epsilon**2
    print(K, N, delta, epsilon, "left", float(left), "right", float(right))
    assert left > right
