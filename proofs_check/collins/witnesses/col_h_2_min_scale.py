"""k = 1, B = e_1, c_u = 2, C_1 = 1: F = C_1 B' has |Fx| = c_u C_1 at x = c_u e_1 + c_v e_2."""
c_u, C_1, c_v = 2, 1, 1
F, x = (C_1, 0), (c_u, c_v)
norm = abs(F[0] * x[0] + F[1] * x[1])
print(norm, "=", C_1, "difference", norm - C_1)
assert norm != C_1
