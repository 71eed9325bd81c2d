"""With c_v = 0 CBB' + BB_perp' + B_perp B' loses as much as CBB', and less than less does (n = 2, k = 1, sigma = 0)."""
import numpy as np

n, c_u, c_v = 2, 1, 0
z = [np.array([c_u * u, c_v * v]) for u in (1, -1) for v in (1, -1)]
w = lambda M, s, t, y: 1 / (1 + np.exp((t - s) @ M @ y))  # of the token s beside t
lost = lambda M, s, t, y: (w(M, s, t, y) * s[0] + w(M, t, s, y) * t[0] - y[0]) ** 2
loss = lambda *M: np.mean([lost(np.array(M), s, t, y) for s in z for t in z for y in z])
print([(loss([C, 1], [1, 0]), loss([C, 0], [0, 0]), "difference of the matrices", 1) for C in (1, 2)])
assert all(loss([C, 1], [1, 0]) == loss([C, 0], [0, 0]) < loss([C - 0.1, 0], [0, 0]) for C in (1, 2))
