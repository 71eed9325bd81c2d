"""k = 1, d = 2, c_u = c_v = 1, F = (2, 1) in the basis (B, B_perp): Fx = 2 u + v has the sign of u
for all u, v.
"""
k, F = 1, (2, 1)
for u in (1, -1):
    for v in (1, -1):
        print(u, v, F[0] * u + F[1] * v)
        assert (F[0] * u + F[1] * v) * u > 0 and F[1] != 0
