"""Proposition 4: c/(1 + epsilon delta) <= Attn_k at T = T_s^*. v_k = e_k, f = +-L/sqrt(2) half and
half, eta = 1/L^2: Attn_k <= 2 (1 + 4T/(K-1)^2)/K."""

from math import log, sqrt

for K in (640, 640000):
    N, delta, epsilon, L, T = 320 * K**3, 1 / 4, 1 / 2, 4, 16 * K * log(8 * sqrt(2) * K)
    left, right = 1 / (1 + epsilon * delta), (1 + 4 * T / (K - 1) ** 2) * 2 / K
    print("K, N, delta, epsilon, L, T:", K, N, delta, epsilon, L, T, "left", left, "right", right)
    assert left > right
