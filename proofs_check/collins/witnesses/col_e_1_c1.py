"""Theorem E.1, Case 1: by Lemma C.2 the term is at most 4L^2; with L = scale = 1/n it is below
every constant.
"""
from fractions import Fraction as F

for n in (3, 100, 10**4):
    scale = F(1, n)
    print("scale =", scale, "; the constant 1 over the largest signal term:", float(1 / (4 * scale**2)))
assert F(1, 4) / F(1, 3) ** 2 == F(9, 4) > 1
