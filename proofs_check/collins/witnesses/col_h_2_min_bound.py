"""k = 1, d = 2, c_u = c_v = 1, u = v = 1: B'MB = 2 = C is allowed and B'M B_perp is free, so that
|Fx| = 3.
"""
C, inside, across, u, v = 2, 2, 1, 1, 1
Fx = inside * u + across * v
print(Fx, "<=", C, "difference", Fx - C)
assert abs(inside) <= C < abs(Fx)
