"""C.2, substitution in the tail, p = 1, from 0 on: C_f = 2, sigma2 = 1; Gamma(1, 0) = 1."""
from sympy import Integer, exp, integrate, oo, symbols

u = symbols("u", positive=True)
sigma2, C_f = 1, 2
left = integrate(exp(-u / Integer(16 * sigma2 * C_f**2)), (u, 0, oo))
right = 16 * sigma2 * C_f * 1
print(left, "=", right)
assert left != right
