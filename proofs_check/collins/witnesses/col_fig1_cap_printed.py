"""Figure 1, nu = 1.5, n = 10, noise of variance .01, the class as printed, nu u'x: the best softmax and the best linear attention."""
import numpy as np
nu, n, noise, w = 1.5, 10, 0.01, 3.48579
t, u = np.cos(2 * np.pi * np.arange(400) / 400), np.arange(-30, 30, 0.2)
v, e, far = np.exp(u)[:, None], np.exp(2 * w * (t - 1)), nu**2 / 2 * (1 - t)  # far is half the mean square of f(x_i) - f(x)
mean = lambda g: (np.exp(-v * e) * g).mean(axis=1)
softmax = 0.2 * v[:, 0] ** 2 @ (n * mean(e**2 * (2 * far + noise)) * mean(1) ** 9 + n * 9 * mean(e * (1 - t)) ** 2 * nu**2 / 2 * mean(1) ** 8)
linear = nu**2 / 2 - n * nu**4 / 4 / (nu**2 + 2 * noise + 9 * nu**2 / 2)
print("nu =", nu, "n =", n, "; loss of softmax attention", softmax, "; loss of linear attention", linear)
assert softmax > linear
