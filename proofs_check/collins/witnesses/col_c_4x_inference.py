"""Lemma C.4: one token has a component of length s_1 = sqrt(1 - t^2) in its own direction, on
either side.
"""
from fractions import Fraction as F

s_1 = F(1)
mean = (s_1 + s_1) / 2
print("s_1 =", s_1, "; mean over the reflection", mean, "; printed", 0)
assert mean != 0
