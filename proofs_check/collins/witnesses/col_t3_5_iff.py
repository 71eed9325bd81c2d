"""After Theorem 3.5, d = 3, sigma = 1: affine tasks with L = 10 at the width w that ReLU tasks with L = 1 teach."""
from math import tanh

n, L, w = 10**6, 10, 44.764
rho, twice = 1 / tanh(2 * w) - 1 / (2 * w), 1 / tanh(4 * w) - 1 / (4 * w)
bias, spread = L**2 / 9 * (1 - rho) ** 2, L**2 / 9 * (1 - 2 * rho * twice + rho**2)
loss = bias + 2 * w / tanh(2 * w) / n * (spread + 1)  # up to terms of the order 1/n^2
print("d = 3, n =", n, "L =", L, "w =", w, "; variance over loss, to hundreds", round(L**2 / 9 / loss, -2))
assert L**2 / 9 / loss > 100
