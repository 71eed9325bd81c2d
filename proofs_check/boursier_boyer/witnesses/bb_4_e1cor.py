"""d = k = 1, tokens +-(1, 1), 3/2-sub-Gaussian, M = 1, rho = 3/2: the flow of a 1-smooth even loss h/17000 has no limit."""
import sympy as sp

r, tau, v1, v2 = sp.symbols("r tau v1 v2", positive=True)  # tau = tanh((1, 1) U (1, 0)'), v = V (1, 1)', output +-tau v, r = |tau v|
p, w, f = tau * v1, tau * v2, 1 / (1 - (tau * v1) ** 2 - (tau * v2) ** 2)
k = 4 * (1 + p**2 + w**2) / (4 * (p**2 + w**2) * (1 + p**2 + w**2) + (1 - p**2 - w**2) ** 4)
h = sp.exp(-f) * (1 - k * (p * sp.cos(f) + w * sp.sin(f)) * (w * sp.cos(f) - p * sp.sin(f)))
angle, root = 1 / (1 - r**2), sp.sqrt(1 + r**2); at = {tau: r / root, v1: root * sp.cos(angle), v2: root * sp.sin(angle)}  # the orbit
field = [(-g * h.diff(x)).subs(at) / at[x].diff(r) for x, g in ((tau, 2 * (1 - tau**2) ** 2), (v1, 2), (v2, 2))]  # each is dr/dt
speeds = [[e.subs(r, sp.Rational(n, 10)).evalf(30) for e in field] for n in (3, 6, 9)]; print("dr/dt =", *speeds, "; r -> 1, angle -> oo"); assert all(0 < a and abs(a - b) + abs(a - c) < 1e-20 for a, b, c in speeds)
