"""F.2: the printed matrix has no limit Gamma_w: its first entry is positive with a mean that tends to 0. d = 1, Sigma = w = 1."""
import sympy as sp

L, Sigma = sp.Symbol("L", positive=True), 1  # E[x_k^2] = E[x^2] = Sigma
mean = 1 / L * (1 / L * L * Sigma + 1 / L * Sigma)
print("limit of the mean of the first entry", sp.limit(mean, L, sp.oo), ">= first entry of Gamma_w", Sigma, "(Fatou)")
assert sp.limit(mean, L, sp.oo) < Sigma
