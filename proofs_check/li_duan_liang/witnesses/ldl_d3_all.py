"""Appendix D.3: L Delta <= c |f(v_n) - f(v_k)| for all n != k. K = 4 orthonormal features, L = 2, k
= 1, n = 2."""

from math import sqrt

K, L, f = 4, 2, (sqrt(2), sqrt(2), -sqrt(2), -sqrt(2))
print("L Delta =", L * sqrt(2), "<= c times", abs(f[0] - f[1]))
assert L * sqrt(2) > 1e300 * abs(f[0] - f[1])
