"""Corollary C.6, L = 1: 8/(w+1)^2 is an O(1/(w+1)^2), and above 4, which the signal term never exceeds."""
from fractions import Fraction as F

C, w = 8, F(1, 3)
print("C =", C, "w =", w, "; left", C / (w + 1) ** 2, "; right", 4)
assert C / (w + 1) ** 2 > 4
