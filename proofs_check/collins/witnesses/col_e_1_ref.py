"""Theorem E.1: the noise term is at most sigma^2 = k^2, and 1/w^2 exceeds it for narrow windows."""
from fractions import Fraction as F

k, w = 1, F(1, 2)
print("k, w =", k, w, "; noise at most", k**2, "; 1/w^2 =", 1 / w**2)
assert k**2 < 1 / w**2
