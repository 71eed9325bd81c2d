"""With c_v = 0 and noise CBB' + BB_perp' + B_perp B' loses as much as CBB', and less than less does (n = 2, k = 1)."""
import numpy as np

n, c_u, c_v, sigma = 2, 1, 0, 1 / 10
z = [np.array([c_u * u, c_v * v]) for u in (1, -1) for v in (1, -1)]
w = lambda M, s, t, y: 1 / (1 + np.exp((t - s) @ M @ y))  # of the token s beside t
lost = lambda p, q, s, t, y: (p * s[0] + q * t[0] - y[0]) ** 2 + sigma**2 * (p**2 + q**2)
loss = lambda M: np.mean([lost(w(M, s, t, y), w(M, t, s, y), s, t, y) for s in z for t in z for y in z])
one, other, less = (loss(np.array(M)) for M in ([[1, 1], [1, 0]], [[1, 0], [0, 0]], [[0.9, 0], [0, 0]]))
print("C = 1", one, other, "difference of the matrices", 1); assert one == other < less
