"""d - k = 2, C_2 = 1: G = diag(1, -1) B_perp' has |Gx| = |v| = 1 for all v, and is not B_perp'."""
from math import cos, sin

for angle in range(7):
    v = (cos(angle), sin(angle))
    print(v[0] ** 2 + (-v[1]) ** 2, "= 1, entry -1 instead of 1, difference", -1 - 1)
    assert abs(v[0] ** 2 + (-v[1]) ** 2 - 1) < 1e-12
