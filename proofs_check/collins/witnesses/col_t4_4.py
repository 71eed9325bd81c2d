"""One token has the weight 1 for every M: at n = 1 the loss of every M is E (u_1 - u)^2 = 2 (k = 1,
d = 2, sigma = 0).
"""
import numpy as np

z, e, n, c_u, c_v = np.array([[i, j] for i in (1, -1) for j in (1, -1)]), np.exp, 1, 1, 1
loss = lambda M: np.mean([(e(x @ M @ y) / e(x @ M @ y) * x[0] - y[0]) ** 2 for x in z for y in z])
M, least = np.array([[2, 1], [1, 0]]), np.array([[2, 0], [0, 0]])
print(loss(M), loss(least), "difference of the matrices", M[0, 1] - least[0, 1])
assert loss(M) == loss(least) and M[0, 1] != 0
