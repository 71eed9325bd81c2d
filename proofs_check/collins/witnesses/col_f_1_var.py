"""Lemma F.1: the mean over the sphere of a ReLU task is b + (l_1 + l_2) mu/2, where mu is the mean
of |w'x|.
"""
from fractions import Fraction as F

L, mu = F(1), F(1, 2)  # d = 3
square = L**2 / 3 + (L**2 / 3 + L**2 / 3) / 4 * mu**2
print("L, mu =", L, mu, "; mean square", square, "; printed", L**2 / 3)
assert square != L**2 / 3
