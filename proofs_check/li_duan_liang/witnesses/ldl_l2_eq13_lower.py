"""Eq. (13) from below: L Delta/2 and -L Delta/2 on random halves of orthonormal features, Q = 0, yhat = 0."""
from fractions import Fraction as F

L, Delta = 2, F(3, 2)
for K in (4, 40, 400):
    same = F(K // 2 - 1, K - 1)  # probability that two features have one value
    sigma2 = (L * Delta) ** 2 / 2 * (1 - same)  # 3 for K = 4
    g = abs((2 * same - 1) * (L * Delta / 2) ** 2)  # |E f_1 f_2|; both sides without p_1 Attn_2 = 1/K^2
    print(K, sigma2, float((1 - F(1, K)) ** 2 * (L * Delta) ** 2 / g), "<= 1")
    assert (1 - F(1, K)) ** 2 * (L * Delta) ** 2 > g
