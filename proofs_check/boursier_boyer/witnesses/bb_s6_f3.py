import numpy as np  # flow, d = 5, w ~ N(0, I/5), noise 1/10, from K = Q = k I and o = V's corner = r, all entries 2/5; c = k^2, u = r^2
from scipy import integrate, interpolate as ip
(g, w), (x, y), v = np.polynomial.hermite_e.hermegauss(60), np.polynomial.legendre.leggauss(80), np.arange(-50, 9, 0.1)[:, None, None]
r, t, c = 6 * (x + 1), np.linspace(0, 10, 120), np.linspace(0.1, 0.95, 60)[:, None]; p = y * r**4 * np.exp(-r * r / 2); p /= p.sum()
m, _, m2, m3, m4 = (np.exp(k * (X := v + t[:, None] * g) - np.exp(np.minimum(X, 6))) @ (w / w.sum()) for k in range(5))
def end(L, soft):  # P2 and b = P2 + 6 P3 - 6 Q over the root of s; the risk is (u^2 a(c) - 2 u f(c) + 5)/10; 50 000 steps: a time of 50
    M = m ** (L - 2) * L / 10; P, b = ((ip.CubicSpline(t, h.sum(0))(c * r)) for h in (M * m * m2, M * (m * (m2 + 3 * m3 - m4) - (L - 1) * m2**2)))
    a, f = (ip.CubicSpline(c[:, 0], h) for h in np.array([5.5 * P + (1 - b) * (c * r) ** 2, (1 - P) * c * r * r] if soft else [c * c * (1 + 6.5 / L) * r * r, c * r * r]) @ p)
    return integrate.solve_ivp(lambda _, z: [-(z[1]**4 * a(z[0]**2, 1) - 2 * z[1]**2 * f(z[0]**2, 1)) * z[0] / 50, -(z[1]**2 * a(z[0]**2) - f(z[0]**2)) * z[1] / 5], (0, 50), (0.4, 0.4), rtol=1e-10, atol=1e-12, method="LSODA").y[:, -1]
near, far = (float(np.array([10, 2]) @ (end(L, True) - end(L, False)) ** 2) for L in (100, 1000)); print("after 50000 steps, L = 100:", near, "L = 1000:", far); assert far > near
