"""Figure 7, affine tasks with L = 1, d = 5, n = 20, sigma = .01: the least loss, which the variance, at most sigma^2 = .0001, never reaches."""
import numpy as np
n, sigma, (t, p), v = 20, 0.01, np.polynomial.legendre.leggauss(600), np.exp(np.arange(-30, 60, 0.2))[:, None]
def loss(w):
    e = np.exp(2 * w * (t - 1))
    mean = lambda g: np.exp(-v * e) @ (3 / 4 * p * (1 - t * t) * g)
    return 0.2 * v[:, 0] ** 2 @ (n * mean(e**2 * (2 * (1 - t) / 15 + sigma**2)) * mean(1) ** 19 + n * 19 * mean(e * (1 - t)) ** 2 / 15 * mean(1) ** 18)
least, w = min((loss(w), w) for w in 3.3403 * np.linspace(0.9, 1.1, 21))
print("d = 5, n =", n, "sigma =", sigma, "; least loss", least, "; at w:", round(w, 4))
assert least > sigma**2
