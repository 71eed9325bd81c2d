"""Proposition 3: c delta^2 L^2 Delta^2/K <= g_k at t = T_f^*. v_k = e_k, f = +-L/sqrt(2) half and half,
balanced prompts, small steps, T = T_f^* in units of 1/(eta L^2): g_k <= 2 L^2/T late in training."""

from math import log

for K in (8, 8 * 10**9):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = delta**2 * 2 * L**2 / K, 2 * L**2 / (K * log(K / epsilon) / (2 * delta**2))
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
