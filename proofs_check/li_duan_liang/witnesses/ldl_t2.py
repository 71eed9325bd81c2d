"""Theorem 2: loss <= c epsilon^2 at T = T_s^*: v_k = e_k, f = +-L/sqrt(2) half and half, eta =
1/L^2: loss >= L^2/8/(2 + 42T/K)."""

from math import log

for K in (6000, 6000000):
    N, delta, epsilon, L, T = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K, 200 * K**4 * log(K)
    left, right = L**2 / (8 * epsilon**2), 2 + 42 * T / K
    print("K, N, delta, epsilon, L, T:", K, N, delta, epsilon, L, T, "left", left, "right", right)
    assert left > right
