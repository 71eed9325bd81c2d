"""Eq. (13) from above: features (R, 0), (R - a, b) at Q = 0, in units of the printed scale h."""
from fractions import Fraction as F

K, Q, a, b = 2, 0, F(4, 5), 1
for R in (5, 50, 500):
    G11, G12, G22 = R**2, R * (R - a), (R - a) ** 2 + b**2  # minus the gradient at Q = 0 is h V (1, -1; -1, 1) V'
    g = abs((G11 - G12) * (G22 - G12))
    print(R, float(g), "<= 1")
    assert g > 1
