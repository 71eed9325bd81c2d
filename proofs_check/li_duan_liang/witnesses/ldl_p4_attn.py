"""Proposition 4: c/(1 + epsilon delta) <= Attn_k at T = T_s^*. v_k = e_k, f = +-L/sqrt(2) half and
half, eta = 1/L^2: Attn_k <= 2 (1 + 4T/(K-1)^2)/K."""

from math import log, sqrt

for K in (6000, 6000000):
    N, delta, epsilon, L = 320 * K**3, K**-0.25, K**-0.125, K**0.25
    left, right = (
        1 / (1 + epsilon * delta),
        (1 + 2 * K * log(K * L * sqrt(2) / epsilon) / (delta**2 * epsilon) / (K - 1) ** 2) * 2 / K,
    )
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
