"""Eq. (12) from above: features e_k + s_k b, task s_k L/sqrt(2), at Q = 0, over the printed scale."""
import numpy as np

L, Q, beta = 1, 0, 1
for K in (2, 4, 400):
    s = np.repeat([1, -1], K // 2)
    f, G = s * L / 2**0.5, np.eye(K) + beta**2 * np.outer(s, s)
    H, scale = np.outer(f, f) / K**2, (1 - 1 / K) ** 2 * 2 * L**2 / K**2
    print(K, (g := abs((G @ H @ G)[0, 0])) / scale, "<= 1")
    assert g > scale
