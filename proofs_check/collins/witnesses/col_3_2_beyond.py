"""Section 3.2, cosine tasks with L = 1, d = 5, n = 20, sigma = .3: the loss at the best width of affine tasks over the least loss, at 0."""
import numpy as np
n, sigma, (t, p), v = 20, 0.3, np.polynomial.legendre.leggauss(600), np.exp(np.arange(-30, 60, 0.25))[:, None]
one, basis = lambda e, g: np.exp(-v * e) @ (3 / 4 * p * (1 - t * t) * g), np.polynomial.legendre.Legendre.basis
P = [basis(k + 1).deriv()(t) / ((k + 1) * (k + 2) / 2) for k in range(12)]
rho = sum(3 * (np.sin(r) - r * np.cos(r)) / r**3 / 2 for r in (np.sqrt(2 - 2 * t), np.sqrt(2 + 2 * t)))
b, pairs = [p @ ((1 - t * t) * rho * q) / (p @ ((1 - t * t) * q * q)) for q in P], lambda e: sum(c * one(e, e * (1 - q)) ** 2 for c, q in zip(b, P))
loss = lambda e: v[:, 0] ** 2 @ (n * one(e, e**2 * (2 * (sum(b) - rho) + sigma**2)) * one(e, 1) ** 19 + n * 19 * pairs(e) * one(e, 1) ** 18)
print("d = 5, n =", n, "sigma =", sigma, "; w of affine tasks 1.6734, of cosine tasks 0; loss over the best loss", loss(np.exp(2 * 1.6734 * (t - 1))) / loss(t**0))
assert loss(np.exp(2 * 1.6734 * (t - 1))) > 1.1 * loss(t**0)
