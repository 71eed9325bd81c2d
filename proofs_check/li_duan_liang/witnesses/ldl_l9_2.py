"""Lemma 9: |g_{k,n}| <= c delta^2 L^2 Delta^2 epsilon/K^2, as |g_{k,n}| >= g_k/K, at T = T_f^*. v_k
= e_k, f = +-L/sqrt(2) half and half, eta = 1/L^2: g_k >= L^2/(128 K (1 + 42T/K))."""

from math import log

for K in (131072, 131072000):
    N, delta, epsilon, L, T = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K, 100 * K**3 * log(K)
    left, right = K / (256 * delta**2 * epsilon), K * (1 + 42 * T / K)
    print("K, N, delta, epsilon, L, T:", K, N, delta, epsilon, L, T, "left", left, "right", right)
    assert left > right
