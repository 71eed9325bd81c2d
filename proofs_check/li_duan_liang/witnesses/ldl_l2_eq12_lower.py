"""Eq. (12) from below: three orthonormal features at Q = 0, where Attn_1 = 1/3; the values are 0, f_2, f_3."""
from fractions import Fraction as F

K, f_1, f_2 = 3, 0, 2
for f_3 in (-F(4, 3), -F(198, 100), -F(1998, 1000)):
    g = F(1, 3) * F(1, 3) * (f_1 - (f_2 + f_3) / 3) ** 2
    scale = F(1, 3) * F(1, 3) * F(2, 3) ** 2 * (f_2 - f_3) ** 2
    print(f_3, float(scale / g), "<= 1")
    assert scale > g
