"""Theorem E.1, Case 2, d = 3, n = m^3, w = m^2, L^2 = 1/n, sigma = 1: the loss is below 1/log n
times every constant.
"""
from math import log

for m in (721, 10**6):
    n, w = m**3, m**2
    loss = (4 + 36 * w) / n
    print("m =", m, "w =", w, "C = 1; left =", 1 / log(n) / loss, "; right = 1.0; loss at most", loss)
assert loss < 1e-2 / log(n)
