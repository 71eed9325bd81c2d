"""Eq. (12) from below: K orthonormal features at Q = 0, all attention 1/K; values 0, and f_2, f_3 at half of the others."""
from fractions import Fraction as F

f_1, f_2 = 0, 2
for K, f_3 in ((3, -F(1)), (5, -F(4, 3)), (201, -F(200, 101))):
    g = F(1, K) * F(1, K) * (f_1 - (f_2 + f_3) * F(K - 1, 2 * K)) ** 2
    scale = F(1, K) * F(1, K) * F(K - 1, K) ** 2 * (f_2 - f_3) ** 2
    print(K, f_3, float(scale / g), "<= 1")
    assert scale > g
