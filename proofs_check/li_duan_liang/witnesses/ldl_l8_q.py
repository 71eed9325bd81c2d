"""Lemma 8: log(K)/epsilon <= c log(K/epsilon)."""

from math import log

for K in (4, 4000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = log(K) / epsilon, log(K / epsilon)
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
