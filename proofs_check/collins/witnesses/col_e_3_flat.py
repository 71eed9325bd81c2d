"""Theorem E.3, flatter tasks: sigma = L = scale = 1/k, L' = L/2, n = 1; the loss is at most 4L'^2 +
sigma^2 and Lambda stays 1.
"""
from fractions import Fraction as F

for n in (2, 100, 10**4):
    scale = F(1, n)
    print("n = 1, scale =", scale, "; the constant 1 over the largest loss:", float(1 / (2 * scale**2)))
assert 1 / (2 * F(1, 2) ** 2) == 2 > 1
