"""C.7, gradient in U: d = L = 2, tokens (1, 0) and (-1, 0), query (0, 1), v = (1, 0), U = 0; differences of T = v.(mean token)."""
import numpy as np

z1, z2, z, v = np.array([1.0, 0]), np.array([-1.0, 0]), np.array([0, 1.0]), np.array([1.0, 0])
def T(U): return sum(np.exp(x @ U @ z) * (v @ x) for x in (z1, z2)) / sum(np.exp(x @ U @ z) for x in (z1, z2))
h, E = 1e-6, np.eye(4).reshape(4, 2, 2)
gradient = np.round([(T(h * e) - T(-h * e)) / (2 * h) for e in E], 6).reshape(2, 2)
printed = ((v @ z1) * (z1 @ z) + (v @ z2) * (z2 @ z)) / 2 - (v @ z1 + v @ z2) / 2 * (z1 @ z + z2 @ z) / 2
print("gradient", gradient.tolist(), "=", printed)
assert (gradient != printed).any()
