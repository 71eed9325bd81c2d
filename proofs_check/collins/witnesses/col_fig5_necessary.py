"""Figure 5, affine tasks with L = 1, d = 5, n = 200, sigma = .01: the loss at the width learned for L = 10, over the least one."""
import numpy as np
n, w, (t, p), v = 200, 7.5296, np.polynomial.legendre.leggauss(600), np.exp(np.arange(-30, 60, 0.2))[:, None]
def loss(w):
    e = np.exp(2 * w * (t - 1))
    mean = lambda g: np.exp(-v * e) @ (3 / 4 * p * (1 - t * t) * g)
    return v[:, 0] ** 2 @ (n * mean(e**2 * (2 * (1 - t) / 15 + 1e-4)) * mean(1) ** 199 + n * 199 * mean(e * (1 - t)) ** 2 / 15 * mean(1) ** 198)
ratio = loss(w) / min(map(loss, np.linspace(7.49, 7.5, 11)))
print("d = 5, n =", n, "; L of training: 10; w =", w, "; loss over the best loss", ratio)
assert ratio < 1.1
