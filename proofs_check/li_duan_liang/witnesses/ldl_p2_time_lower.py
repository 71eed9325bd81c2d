"""Proposition 2: T_f^1 <= c steps to Attn_k = 1/2: features (e_i, e_j, e_l), K = M^3, f = +-L/sqrt(2) on halves of
the i, of the j or of the l, eta = 1/L^2: Attn_k = w^3 for one w."""
from math import exp, log

for M in (28, 80):
    K, z, steps = M**3, 0.0, 0
    while (exp(z) / (exp(z) + M - 1)) ** 3 < 1 / 2:
        z, steps = z + M**2 * exp(z) / (6 * (M - 1) * (exp(z) + M - 1) ** 3), steps + 1
    print("K, c1:", K, 1, "left", K * log(K) / 2, "right", 96 * M**2 + 1125 * M + 2, "simulated", steps)
    assert steps <= 96 * M**2 + 1125 * M + 2 < K * log(K) / 2
