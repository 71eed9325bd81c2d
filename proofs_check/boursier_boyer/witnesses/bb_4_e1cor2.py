"""d = 1, beta = 1, sigma = 3/2, M = 1, rho = 3/2: r' = -h_r, angle' = -h_angle/(1 + r^2), the flow of bb_4_e1cor.py in its plane, has no limit."""
import sympy as sp

r, t = sp.symbols("r t", positive=True)
f = 1 / (1 - r**2)
k = 4 * r**2 * (1 + r**2) / (4 * r**2 * (1 + r**2) + (1 - r**2) ** 4)
h = sp.exp(-f) * (1 - k / 2 * sp.sin(2 * t - 2 * f))
print("d angle / d r less that of 1/(1 - r^2):", rest := sp.simplify((h.diff(t) / h.diff(r) / (1 + r**2)).subs(t, f) - f.diff(r)))
assert rest == 0 and all(h.diff(r).subs(t, f).subs(r, sp.Rational(n, 10)) < 0 for n in range(1, 10))
