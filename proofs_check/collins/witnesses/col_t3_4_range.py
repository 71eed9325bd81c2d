"""Theorem 3.4, d = 3, n = 2, sigma = 1: the best width stays below 16, and Lambda^(1/7) grows with
L.
"""
n, sigma2 = 2, 1
for L in (11600, 10**7, 10**10):
    print("d = 3, n = 2, sigma2 = 1, L =", L, "C = 1; left =", (n * L**2 / sigma2) ** (1 / 7) / 16, "; right = 1.0")
assert (n * L**2 / sigma2) ** (1 / 7) / 16 > 40
