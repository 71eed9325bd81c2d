"""Proposition 3: g_k <= c delta^2 L^2 Delta^2/K at T_f^1 + 1. v_k = e_k, f = +-L/sqrt(2) half and
half, eta = 1/L^2: While z <= 1, g_k >= L^2/(32 K^2)."""

for K in (8, 8000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = L**2 / (32 * K**2), 2 * delta**2 * L**2 / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
