"""Figure 1, cos(6 theta - b), 100 tokens, noise of variance .01: the loss at w = 1 and at w = 0."""
import numpy as np

nu, n, w, c = 6, 100, 1.0, 2 * np.pi * np.arange(400) / 400
u = np.arange(-40, 20, 0.2)
v, e, g = np.exp(u)[:, None], np.exp(2 * w * (np.cos(c) - 1)), np.exp(1j * nu * c) - 1  # f(x_i) - f(x), averaged over b
mean = lambda h: (np.exp(-v * e) * h).mean(axis=1)
loss = 0.2 * v[:, 0] ** 2 @ (n * mean(e**2 * (abs(g) ** 2 / 2 + 0.01)) * mean(1) ** 99 + n * 99 * abs(mean(e * g)) ** 2 / 2 * mean(1) ** 98)
print("nu =", nu, "n =", n, "w =", w, "; loss at w:", loss, "; loss at 0:", 1 / 2 + 1 / 200 + 0.01 / n)
assert loss > 1 / 2 + 1 / 200 + 0.01 / n
