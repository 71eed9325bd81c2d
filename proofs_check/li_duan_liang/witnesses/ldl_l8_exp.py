"""Lemma 8: exp(-Theta(log(K/epsilon))) <= c epsilon/K, which the next display uses. Here Theta is
one half."""

from math import sqrt

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = sqrt(epsilon / K), epsilon / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
