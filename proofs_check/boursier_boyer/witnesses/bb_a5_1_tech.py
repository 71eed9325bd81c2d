import numpy as np  # flow of linear attention, L = 100, d = 5, w ~ N(0, I/5), noise 1/10, from a start off the block manifold:
from scipy.integrate import solve_ivp  # U11 = diag(beta, alpha x 4), row of labels (om, 0 ...), V's last row (pi, 0, ...; q); N = E y^2
v, N, L, start = 0.2, 1.1, 100, (7 / 10, -1 / 10, 2, -3 / 10, 1)
def risk(a, b, p, o, q):
    m2 = (q * b + p * o) ** 2 * v + (p * b + q * o * N) ** 2 + (q * o) ** 2 * 10 * v * v + 4 * (q * a) ** 2 * v
    st = (b * b + 4 * a * a) * (p * p + q * q * N) + 4 * o * b * p * q * v + o * o * (p * p * N + q * q * (N * N + 10 * v * v))
    return ((1 + 1 / L) * m2 + st / L - 2 * ((q * b + p * o) * v + 4 * q * a * v) + 1.1) / 2
slope = lambda t, y: [-risk(*(y + 1e-30j * e)).imag / 1e-30 / m for e, m in zip(np.eye(5), (4, 1, 1, 1, 1))]
print("ends at", end := risk(*solve_ivp(slope, (0, 2000), start, rtol=1e-9, atol=1e-11, method="LSODA").y[:, -1]), "block 0.0805164")
assert end > 0.18
