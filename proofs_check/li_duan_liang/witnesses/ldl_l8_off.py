"""Lemma 8: |q_{k,m}| <= c log(K/epsilon)/K at T_f^*. v_k = e_k, one function, +-L/sqrt(2) on half of
them, eta = 1/L^2: |q_{k,m}| = q_k >= 1/2 from 28 K^2 steps on."""

from math import log

for K in (10, 1000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = 1 / 2, log(K / epsilon) / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right and 28 * K**2 < K * log(K / epsilon) / (2 * delta**2)
