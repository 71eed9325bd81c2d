"""Lemma 10: |q_{k,m}| <= c log(K L Delta/epsilon)/K at T_s^*. v_k = e_k, one function, +-L/sqrt(2) on
half of them, eta = 1/L^2: |q_{k,m}| = q_k >= 1/2 from 28 K^2 steps on."""

from math import log

for K in (26, 2600):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K
    left, right = 1 / 2, log(K * L * 2**0.5 / epsilon) / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right and 28 * K < K * right / (2 * delta**2 * epsilon)
