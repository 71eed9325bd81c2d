"""Proposition 2: c/(1 + delta) <= Attn_k at T_f^1: e_k, f = +-L/sqrt(2) half and half, eta = 1/L^2."""

from math import exp, log

for K in (8, 8000):
    N, delta, epsilon, L, right, z = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K, (1 + 2 * K * log(K) / (K - 1) ** 2) * 2 / K, 0.0
    for _ in range(int(K * log(K) / 2)):
        z += K**2 * exp(z) / (2 * (K - 1) * (exp(z) + K - 1) ** 3)
    print(K, N, delta, epsilon, L, 1 / (1 + delta), "<= c", right, "simulated:", exp(z) / (exp(z) + K - 1))
    assert 1 / (1 + delta) > right > exp(z) / (exp(z) + K - 1)
