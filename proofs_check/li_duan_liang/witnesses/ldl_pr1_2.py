"""Proof of Proposition 1: the squared error for attention share * epsilon on values that differ by L."""
from fractions import Fraction as F

Delta, epsilon, share = 1, F(1, 4), F(1, 2)
for L in (3, 30, 300):
    error = L * Delta * share * epsilon
    print(L, float(error**2 / epsilon**2), "<= 1")
    assert error**2 > epsilon**2
