"""Lemma 5: c/(1 + delta) <= Attn_k at T = T_f^1. v_k = e_k, f = +-L/sqrt(2) half and half, eta =
1/L^2: Attn_k <= 2 (1 + 4T/(K-1)^2)/K."""

from math import log

for K in (8, 8000):
    N, delta, epsilon, L, T = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K, K * log(K) / 2
    left, right = 1 / (1 + delta), (1 + 4 * T / (K - 1) ** 2) * 2 / K
    print("K, N, delta, epsilon, L, T:", K, N, delta, epsilon, L, T, "left", left, "right", right)
    assert left > right
