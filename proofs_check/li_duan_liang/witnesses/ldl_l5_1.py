"""Lemma 5: c log K <= q_k at T = T_f^1. v_k = e_k, f = +-L/sqrt(2) half and half, eta = 1/L^2: q_k
<= 9T/(4K(K-1))."""

from math import log

for K in (8, 8000):
    N, delta, epsilon, L, T = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K, K * log(K) / 2
    left, right = log(K), 9 * T / (4 * K * (K - 1))
    print("K, N, delta, epsilon, L, T:", K, N, delta, epsilon, L, T, "left", left, "right", right)
    assert left > right
