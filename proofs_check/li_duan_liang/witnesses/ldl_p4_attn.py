"""Proposition 4: c/(1 + epsilon delta) <= Attn_k at T = T_s^*. v_k = e_k, f = +-L/sqrt(2) half and
half, eta = 1/L^2: Attn_k <= 2 (1 + 4T/(K-1)^2)/K."""

from math import log, sqrt

for K in (6000, 6000000):
    N, delta, epsilon, L = 320 * K**3, K**-0.25, K**-0.125, K**0.25
    z = K * log(K * L * sqrt(2) / epsilon) / (delta**2 * epsilon) / (K - 1) ** 2
    print("K, N:", K, N, "left", left := 1 / (1 + epsilon * delta), "right", right := (1 + 2 * z) * 2 / K)
    assert left > right
