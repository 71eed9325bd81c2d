"""Lemma F.1: where w'x = 0 a ReLU task is b, and its flip is b + (l_1 + l_2) mu."""
from fractions import Fraction as F

L, mu = F(1), F(1, 2)  # d = 3
flip, task = L**2 / 3 + 2 * L**2 / 3 * mu**2, L**2 / 3
print("L, mu =", L, mu, "; mean square of the flip", flip, "; of the task", task)
assert flip != task
