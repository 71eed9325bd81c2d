"""Section 2, d = 3, n = 2, L = 1: the signal term of affine tasks at w = 10 and at w = 1.3, by an integral over two heights."""
import numpy as np

y, p = np.polynomial.legendre.leggauss(600)
D, product = y[:, None] - y, np.outer(y, y)
signal = lambda w: p @ (2 - D * np.tanh(w * D) - (1 - np.tanh(w * D) ** 2) * (1 - product) / 2) @ p / 36
print("d = 3, n = 2, w = 10; signal", signal(10), "; signal at 1.3:", signal(1.3))
assert signal(10) > signal(1.3)
