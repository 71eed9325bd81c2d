"""Theorem E.1, upper end, d = e + 1: with the noise w^((d-1)/2) the exponent is (1 - 2/(d+2))
2/(d-1).
"""
from fractions import Fraction as F

e = 2
d = e + 1
found, printed = (1 - F(2, d + 2)) * F(2, d - 1), F(2, d + 2)
print("e =", e, "; exponent", found, "; printed", printed)
assert found != printed
