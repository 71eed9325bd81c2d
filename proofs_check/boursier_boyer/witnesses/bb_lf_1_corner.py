"""F.1: the corner of Gamma_w is E[y^2] for y = w x, x ~ N(0, Sigma); d = 1, Sigma = 1/2, w = 1."""
import sympy as sp

x, Sigma, w = sp.Symbol("x", real=True), sp.Rational(1, 2), 1
corner = sp.integrate((w * x) ** 2 * sp.exp(-(x**2) / (2 * Sigma)), (x, -sp.oo, sp.oo)) / sp.sqrt(2 * sp.pi * Sigma)
print("E[y^2] =", sp.simplify(corner), "=", w**2, "= |w|^2")
assert sp.simplify(corner) != w**2
