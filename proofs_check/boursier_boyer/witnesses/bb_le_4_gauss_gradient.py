"""Lemma E.4, gradient, Gaussian: y = 5x, x_q ~ N(0, 1), U = e2 e1', V = e2 e2', J J' = |Gamma U z|^2 I + |z|^2 V Gamma^2 V'."""

import numpy as np

t, U, V, d = np.array([1, 5]), np.array([[0, 0], [1, 0]]), np.diag([0, 1]), 2  # d: of a token, the larger of two readings
G, z = np.outer(t, t), np.array([1, 0])  # z at E x_q^2 = 1
JJ = (G @ U @ z) @ (G @ U @ z) * np.eye(2) + z @ z * V @ G @ G @ V.T
left, right = np.linalg.eigvalsh(JJ)[-1], 4 * d * (1 + 1) ** 2 * (t @ t)
print("sigma^2 =", t @ t, " E|grad T|^2 =", left, "<=", right)
assert left > right
