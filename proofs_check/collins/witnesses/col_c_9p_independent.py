"""Lemma C.9: f(x_i) = l_2 m + b and f_aff(x_j) = l_1 s + b share b, whose square has the mean
L^2/3; here E f f_aff beside E f^2.
"""
from fractions import Fraction as F

L, m = F(1, 3), F(2, 7)
square = L**2 / 3 * (m**2 + 1)
print("L, m =", L, m, "; E f f_aff + E f^2 =", square + L**2 / 3, "; without the first, as independence has it:", square)
assert L**2 / 3 > 0
