"""Lemma 10: exp(-Theta(log(K L Delta/epsilon))) <= c epsilon/K. Here Theta is one half."""

from math import sqrt

for K in (16, 16000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K
    left, right = sqrt(epsilon / (K * L * sqrt(2))), epsilon / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
