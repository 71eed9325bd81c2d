"""Lemma 4: c L^2 Delta^2/K <= g_k at t = 1. v_k = e_k, f = +-L/sqrt(2) half and half, eta = 1/L^2:
g_k <= 4 L^2/K^2."""

for K in (8, 8000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = 2 * L**2 / K, 4 * L**2 / K**2
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
