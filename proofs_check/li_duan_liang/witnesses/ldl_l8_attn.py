"""Lemma 8: c/(1 + epsilon delta) <= Attn_k at T = T_f^*. v_k = e_k, f = +-L/sqrt(2) half and half,
eta = 1/L^2: Attn_k <= 2 (1 + 4T/(K-1)^2)/K."""

from math import log

for K in (256, 256000):
    N, delta, epsilon, L = 320 * K**3, K**-0.25, K**-0.25, K**0.25 / 2
    left, right = 1 / (1 + epsilon * delta), (1 + 2 * K * log(K / epsilon) / delta**2 / (K - 1) ** 2) * 2 / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
