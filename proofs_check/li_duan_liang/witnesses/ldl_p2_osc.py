"""Proposition 2: q_{k,m} oscillates. Steps for K = 2, orthonormal features, eta sigma_f^2 = 1."""

from math import exp

K, z = 2, 0
for _ in range(5):
    step = K * exp(z) / (exp(z) + K - 1) ** 3
    print("z =", z, "step of q_{k,m}:", -step / K)
    assert -step / K < 0
    z += step
