import numpy as np  # Remark 3.2: tokens g/2, query z in the prompt (c = 1) or not, U = V = 1; 1/X^2 is int r e^{-rX} dr, r = e^v
v, g, c, L, E = np.arange(-270, 40, 0.25), np.arange(-10, 24, 0.1), np.array([[[1]], [[0]]]), np.array([[1e10], [1e20]]), 0
for z in np.arange(0.05, 13.5, 0.1):
    w, y, p = np.exp(np.minimum(v[:, None] + z * g / 2, 7)), g / 2 - z / 4, np.exp(-(g**2) / 2) / np.sqrt(200 * np.pi)
    m, a, b = 1 + np.expm1(-w) @ p, (w * np.exp(-w)) @ (p * y), (w * w * np.exp(-w)) @ (p * y * y)
    k, q = (L - 2) * np.log1p(np.maximum(np.expm1(-w) @ p, -1 + 1e-15)), c * np.exp(np.minimum(v + z * z, 7))
    E += (np.exp(k - q - z * z / 2) * (L * m * b + L * (L - 1) * a**2 + 1.5 * z * q * L * m * a + (0.75 * z * q * m) ** 2)).sum(-1)
print("errors at L = 1e10, 1e20: with the query", *E[0] * 0.05 / np.sqrt(2 * np.pi), "without", *E[1] * 0.05 / np.sqrt(2 * np.pi))
print("of one order (slope 0)? slope", np.log(E[0] / E[1]) @ [-1, 1] / np.log(1e10))
assert E[0, 1] / E[1, 1] > 1e4 * E[0, 0] / E[1, 0]
