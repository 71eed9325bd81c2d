"""Lemma B.1, d = 1: the prediction, the last entry of the output, for W_V with a = 1 and a = 0 in the upper left corner."""
import numpy as np

x, y, scores = np.array([0.6, -0.8, 1]), np.array([0.3, 2, 0]), np.array([1.5, -0.5, 0.25])
weights = np.exp(scores) / np.exp(scores).sum()
last = lambda a, c: (np.array([[a, 0], [0, c]]) @ np.array([x, y]) @ weights)[1]
print("d = 1, a = 1 ; difference", last(1, 1) - last(0, 1), "; left minus right 1")
assert last(1, 1) == last(0, 1)
