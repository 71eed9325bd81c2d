"""Section 5.3: g_k <= c/K at the first step. v_k = e_k, f = +-L/sqrt(2) half and half, eta = 1/L^2:
While z <= 1, g_k >= L^2/(32 K^2)."""

for K in (8, 8000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K
    left, right = L**2 / (32 * K**2), 1 / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
