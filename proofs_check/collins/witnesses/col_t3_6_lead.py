"""Linear attention without a window, M = (d/n) I, on tasks f(x) = L u'x without noise: the loss is
(1 - 1/d) L^2/n.
"""
from fractions import Fraction as F

d, n, L = 2, 2, 1
loss = (1 - F(1, d)) * F(L**2, n)
print("d, n, L =", d, n, L, "; loss", loss, "; printed lower bound", F(L**2, 3))
assert loss < F(L**2, 3)
