"""Figure 2, affine tasks with L = 1, d = 5, n = 20: the bias at w = 100 and at w = 3.35."""
import numpy as np
d, n, w, (t, p) = 5, 20, 100.0, np.polynomial.legendre.leggauss(800)
p, v = 3 / 4 * p * (1 - t * t), np.exp(np.arange(-30, 300, 0.1))[:, None]  # v integrates 1/S^2, S the sum of the weights e
def bias(w):
    e = np.exp(2 * w * (t - 1))
    mean = lambda g: np.exp(-v * e) @ (p * g)
    return 0.1 * v[:, 0] ** 2 @ (n * mean(e**2 * (1 - t)) * 2 / 15 * mean(1) ** 19 + n * 19 * mean(e * (1 - t)) ** 2 / 15 * mean(1) ** 18)
print("d =", d, "n =", n, "w =", w, "; bias", bias(w), "; bias at the smaller width", bias(3.35))
assert bias(w) > bias(3.35)
