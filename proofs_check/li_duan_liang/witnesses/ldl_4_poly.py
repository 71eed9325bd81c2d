"""Features 0, e_2, ..., e_K, tasks +-L/2 on halves: the loss at the query 0 alone, over epsilon^2."""
from fractions import Fraction as F

L = F(5, 2)
for K in (4, 40, 400):
    epsilon = F(3, 2) / K  # 3/8 for K = 4
    loss = F(1, 2) * F(1, K) * (L / 2) ** 2
    print(K, epsilon, float(loss / epsilon**2), "<= 1")
    assert loss > epsilon**2
