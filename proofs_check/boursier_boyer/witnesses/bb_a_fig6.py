import sympy as sp  # Figure 6: trained linear attention, d = 5, w ~ N(0, I/5), noise 1/10: its risk less half the noise


def excess(S, L):  # (1/10) tr(S - S^2 S_L^-1), S_L = (1 + 1/L) S + (tr S + 1/2)/L I
    return sp.trace(S - S * S * ((1 + sp.Rational(1, L)) * S + (S.trace() + sp.Rational(1, 2)) / L * sp.eye(5)).inv()) / 10


isotropic, anisotropic = (excess(S, 10) for S in (sp.eye(5), sp.Matrix(5, 5, lambda i, j: sp.Rational(1, 2) ** abs(i - j))))
print("L = 10: isotropic", isotropic, "anisotropic", anisotropic, "at least 1 times that?", anisotropic >= isotropic)
assert anisotropic < isotropic
