"""Theorem E.1, Case 3: where w^((d+2)/2) = Lambda/d the parts of the derivative of 1/w +
w^(d/2)/Lambda differ; here w = 1.
"""
from fractions import Fraction as F

w, d = 1, 4
Lambda = d * w**3  # as printed
rising, falling = F(d, 2) * w / Lambda, F(1, w**2)
print("w =", w, "; rising part", rising, "; falling part", falling)
assert rising != falling
