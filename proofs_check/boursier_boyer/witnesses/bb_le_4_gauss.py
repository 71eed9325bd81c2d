"""Lemma E.4, Gaussian case: y = 3x, x and x_q ~ N(0, 1), U = e2 e1', V = e2 e2', output V Gamma U z_q; d: see below."""

import numpy as np

t, U, V, d = np.array([1, 3]), np.array([[0, 0], [1, 0]]), np.diag([0, 1]), 2  # d: of a token, the larger of two readings
left, right = (V @ np.outer(t, t) @ U)[1, 0] ** 2, 4 * d * (t @ t)  # squares; sigma^2 = t.t, |U| = |V| = 1, E x_q^2 = 1
print("sigma^2 =", t @ t, " E|T|^2 =", left, "<=", right)
assert left > right
