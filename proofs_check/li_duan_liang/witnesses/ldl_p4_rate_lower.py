"""Proposition 4: c delta^2 L^2 Delta^2 epsilon/K <= g_k at t = T_s^*. v_k = e_k, f = +-L/sqrt(2) half and
half, balanced prompts, small steps, T = T_s^* in units of 1/(eta L^2): g_k <= 2 L^2/T late in training."""

from math import log

for K in (8, 8 * 10**9):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K
    T, left = K * log(K * L * 2**0.5 / epsilon) / (2 * delta**2 * epsilon), delta**2 * 2 * L**2 * epsilon / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", 2 * L**2 / T)
    assert left > 2 * L**2 / T
