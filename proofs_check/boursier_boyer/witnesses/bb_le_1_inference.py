"""(23) for (26): model (11), d = 1, Sigma = 1, L = 1. Curvatures of R_1 = E(v1 x + v2 w x - w q)^2/2 and of R_inf along U_11."""

import sympy as sp

v1, v2, w, U, g2, t = *sp.symbols("v1 v2 w U"), 1, 1
mean = lambda p: sum(c * {0: 1, 2: 1, 4: 3}.get(k, 0) for (k,), c in sp.Poly(sp.expand(p), w).terms())  # w ~ N(0, 1)
R_1, R_inf = mean((v1 + v2 * w) ** 2 + w**2) / 2, mean(((v1 + v2 * w) * U - w) ** 2) / 2
b_1, b_inf = sp.hessian(R_1, (v1, v2)).norm(2), sp.diff(R_inf, U, 2).subs({v1: 0, v2: 2})  # at |theta| = 2, rho = 1
print("beta_1 =", b_1, " beta_inf >=", b_inf, ":", g2 * (sp.exp(b_inf * t) - 1) / b_inf, "<=", g2 * t * sp.exp(b_1 * t))
assert g2 * (sp.exp(b_inf * t) - 1) / b_inf > g2 * t * sp.exp(b_1 * t)
