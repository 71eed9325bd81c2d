"""Figure 9, squares on the circle, 10 tokens, no noise: the best M = alpha BB' and M = 10 I, by an average over queries."""
import numpy as np
n, alpha, beta, c, v = 10, 2.74, 10.0, 2 * np.pi * np.arange(192) / 192, np.exp(np.arange(-30, 26, 0.25))[:, None]
def loss(a, b, q):
    e, g = np.exp(a * np.cos(q) * np.cos(c) + b * np.sin(q) * np.sin(c) - max(a, b)), np.cos(c) ** 2 - np.cos(q) ** 2
    mean = lambda h: (np.exp(-v * e) * h).mean(axis=1)
    return 0.25 * v[:, 0] ** 2 @ (n * mean((e * g) ** 2) * mean(1) ** 9 + n * 9 * mean(e * g) ** 2 * mean(1) ** 8)
inside, other = (sum(loss(a, b, q) for q in (np.arange(32) + 0.5) * np.pi / 32) / 32 for a, b in ((alpha, 0), (beta, beta)))
print("n =", n, "alpha =", alpha, "beta =", beta, "; loss of alpha BB':", inside, "; loss of beta I:", other)
assert inside > other
