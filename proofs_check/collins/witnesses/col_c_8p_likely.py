"""Lemma C.8, d = 3, w = n^3: with probability 1/2 no token has 1 - t <= 1/n, and then g_1/g_0 >=
sqrt(2/n).
"""
from math import sqrt

for n in (4, 100, 10**4):
    w = n**3
    print("d = 3, n =", n, "w =", w, "C = 1; left =", sqrt(2 / n) * sqrt(w), "; right = 1.0")
assert sqrt(2 / n) * sqrt(w) > n
