"""After Theorem 3.4, d = 3, n = oo: the bound L^2/w over the signal L^2 (1 - coth 2w + 1/(2w))^2/9
of affine tasks.
"""
from math import tanh

L = 2
for w in (2, 100, 10**4):
    signal = L**2 / 9 * (1 - 1 / tanh(2 * w) + 1 / (2 * w)) ** 2
    print("d = 3, L =", L, "w =", w, "; bound over signal", L**2 / w / signal, "; at least", 36.0 * w)
assert L**2 / w / signal > 30 * w
