"""Lemma F.1 (iii), last display: d = 1, Sigma = w = 1, U = ((1, 0), (1, 0)), p = 4, q = 0. A token is (g, g), g ~ N(0, 1)."""
import sympy as sp

x, g = sp.symbols("x g")
normal = lambda k: 0 if k % 2 else sp.factorial2(k - 1)
mean = lambda e: sum(c * normal(i) * normal(j) for (i, j), c in sp.Poly(sp.expand(e), x, g).terms())
m = sp.ones(2, 2) * sp.Matrix([[1, 0], [1, 0]]) * sp.Matrix([x, 0])  # the tilted mean Gamma U (x, 0)
left = mean(((m[0] + g) ** 2 + (m[1] + g) ** 2) ** 2)
right = 2**3 * max(1, 1, 1) ** 4 * (sp.sqrt(2) ** 4 * mean(x**4) + 8)  # sigma_mu^2 = 1, |U|_op = sqrt(2), E|Y|^4 = 8 in R^2
print(left, "<=", right); assert left > right
