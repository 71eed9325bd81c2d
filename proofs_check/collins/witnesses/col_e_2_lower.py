"""Theorem E.2, affine tasks, d = 3, L = 1: the best width is at most the root of 6 e^8 Lambda, far below
Lambda^(1/7).
"""
from math import e
for n in (3, 30, 300):
    sigma2 = 10**5 * n**11
    whole = n / sigma2  # Lambda
    print("d = 3, L = 1, n =", n, "sigma2 =", sigma2, "C = 1; left =", whole ** (1 / 7) / (6 * e**8 * whole) ** 0.5, "; right = 1.0")
assert whole ** (1 / 7) > 10**6 * (6 * e**8 * whole) ** 0.5
