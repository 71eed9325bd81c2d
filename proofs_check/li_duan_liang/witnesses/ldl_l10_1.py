"""Lemma 10: 1 - Attn_k <= c epsilon delta at T = T_s^*: v_k = e_k, f = +-L/sqrt(2) half and half,
eta = 1/L^2: (1 - Attn_k)^2 >= 1/(2 (2 + 42T/K))."""

from math import log

for K in (1200, 1200000):
    N, delta, epsilon, L, T = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K, 200 * K**4 * log(K)
    left, right = 1 / (2 * epsilon**2 * delta**2), 2 + 42 * T / K
    print("K, N, delta, epsilon, L, T:", K, N, delta, epsilon, L, T, "left", left, "right", right)
    assert left > right
