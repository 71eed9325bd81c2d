"""Lemma 10: log(K L Delta)/epsilon <= c log(K L Delta/epsilon)."""

from math import log, sqrt

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K
    left, right = log(K * L * sqrt(2)) / epsilon, log(K * L * sqrt(2) / epsilon)
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
