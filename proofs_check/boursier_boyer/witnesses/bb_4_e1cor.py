"""d = k = 1, tokens +-(1, 1), 3/2-sub-Gaussian, M = 1, rho = 3/2: the flow of a 1-smooth even loss h/17000 has no limit."""
from mpmath import cos, diff, exp, mp, mpf, sin, sqrt; mp.dps = 50
def h(tau, v1, v2):  # tau = tanh((1, 1) U (1, 0)'), v = V (1, 1)', output +-tau v
    p, w, f = tau * v1, tau * v2, 1 / (1 - (tau * v1) ** 2 - (tau * v2) ** 2)
    k = 4 * (1 + p**2 + w**2) / (4 * (p**2 + w**2) * (1 + p**2 + w**2) + (1 - p**2 - w**2) ** 4)
    return exp(-f) * (1 - k * (p * cos(f) + w * sin(f)) * (w * cos(f) - p * sin(f)))
orbit = [lambda r: r / sqrt(1 + r**2), lambda r: sqrt(1 + r**2) * cos(1 / (1 - r**2)), lambda r: sqrt(1 + r**2) * sin(1 / (1 - r**2))]  # r = |tau v|
def field(r):  # dr/dt from each of tau, v1, v2 along the orbit
    at = [x(r) for x in orbit]; return [-g * diff(h, at, [i == j for j in range(3)]) / diff(x, r) for i, (x, g) in enumerate(zip(orbit, (2 * (1 - at[0] ** 2) ** 2, 2, 2)))]
speeds = [field(mpf(n) / 10) for n in (3, 6, 9)]; print("dr/dt =", *(mp.nstr(a, 30) for a, *_ in speeds), "; r -> 1, angle -> oo"); assert all(0 < a and abs(a - b) + abs(a - c) < 1e-20 for a, b, c in speeds)
