"""Theorem E.2: where w^((d+4)/2) = Lambda/d the parts of the derivative of 1/w^2 + w^(d/2)/Lambda
differ; here w = 1.
"""
from fractions import Fraction as F

w, d = 1, 4
Lambda = d * w**4  # as printed
rising, falling = F(d, 2) * w / Lambda, F(2, w**3)
print("w =", w, "; rising part", rising, "; falling part", falling)
assert rising != falling
