"""Lemma E.2, Gaussian case: y = 3x, x and x_q ~ N(0, 1), U = e2 e1', V = e2 e2', output V Gamma U z_q; d: see below."""

import numpy as np

t, U, V, d = np.array([1, 3]), np.array([[0, 0], [1, 0]]), np.diag([0, 1]), 2  # d: of a token, the larger of two readings
slope, sigma2 = (V @ np.outer(t, t) @ U)[1, 0], t @ t  # the output is slope * x_q; sigma^2 = |Gamma|, |U| = |V| = 1
left, right = 3 * slope**4, 2**4 * d**2 * sigma2**2
print("sigma^2 =", sigma2, " E|T|^4 =", left, "<=", right)
assert left > right
