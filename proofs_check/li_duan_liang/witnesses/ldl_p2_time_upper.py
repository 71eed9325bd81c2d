"""Proposition 2: steps to Attn_k = 1/2 <= c T_f^1: e_k, f = +-L/sqrt(2) half and half, eta = 1/L^2."""

from math import exp, log

for K in (8, 256):
    N, delta, epsilon, L, z, steps = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K, 0.0, 0
    while exp(z) < K - 1:
        z, steps = z + K**2 * exp(z) / (2 * (K - 1) * (exp(z) + K - 1) ** 3), steps + 1
    print(K, N, delta, epsilon, L, "steps:", steps, "at least", K * (K - 1) / 4, "<= c", K * log(K) / 2)
    assert steps >= K * (K - 1) / 4 > K * log(K) / 2
