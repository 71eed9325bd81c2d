"""Lemma F.1: E_x f = b + (l_1 + l_2) mu/2 and f - E_x f = (l_1 + l_2)(m - mu)/2 + (l_1 - l_2) m/2
are correlated.
"""
from fractions import Fraction as F

L, m, mu = F(1), F(1), F(1, 2)  # d = 3
square = L**2 / 3 + L**2 / 6 * mu**2
both = L**2 / 6 * mu * (m - mu)
print("L, m, mu =", L, m, mu, "; E[mean x rest] + E mean^2 =", both + square, "; if independent", square)
assert both != 0
