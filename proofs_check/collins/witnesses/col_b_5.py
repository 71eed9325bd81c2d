"""At n = 1 the only weight is 1 for every M: affine tasks on the circle lose as much as with I."""
import numpy as np

n, angles = 1, np.arange(4) * np.pi / 2
x = np.array([[np.cos(a), np.sin(a)] for a in angles])
weight = lambda M, s, t: np.exp(s @ M @ t) / np.exp(s @ M @ t)
loss = lambda M: np.mean([(weight(M, s, t) * s - t) @ (weight(M, s, t) * s - t) for s in x for t in x]) / 6
M = np.array([[0, 1], [0, 0]])
print(loss(M), loss(np.eye(2)), "entry off the multiples of I:", M[0, 1])
assert loss(M) == loss(np.eye(2)) and M[0, 1] == 1
