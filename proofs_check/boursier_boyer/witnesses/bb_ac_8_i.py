"""Assumption C.8 (i): printed, the ratio under sup_z is at the token z_1. f(z) = z^2, p = 1, C_f = 1, z_1 = 1; then z = 2."""

f, p, C_f, z_1 = lambda z: z**2, 1, 1, 1
assert abs(f(z_1)) / abs(z_1) ** p <= C_f
z = 2
print(abs(f(z)), "<=", C_f * abs(z) ** p)
assert abs(f(z)) > C_f * abs(z) ** p
