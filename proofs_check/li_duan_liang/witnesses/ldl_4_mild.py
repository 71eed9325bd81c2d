"""Linear tasks L <u, x> on K orthonormal features: the share of directions u that meet (4), c = 1."""
import numpy as np

c1, c2, rng = 1, 1, np.random.default_rng(1)
for K in (12, 120):
    u = rng.standard_normal((10**4, K))
    u /= np.linalg.norm(u, axis=1, keepdims=True)  # |u_k - u_m| >= c sqrt(2) for some m, for every k
    far = np.maximum(u.max(1, keepdims=True) - u, u - u.min(1, keepdims=True)) >= c2 * 2**0.5
    print(K, "share", far.all(1).mean(), "<=", 12 / (K + 2) / c2**4, "left", 1)
    assert far.all(1).mean() <= 12 / (K + 2) / c2**4 < c1
