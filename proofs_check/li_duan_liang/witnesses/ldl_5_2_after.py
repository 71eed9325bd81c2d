"""Section 5.2: g_k at Attn_k = 1/3 is at most c times g_k at the printed T_f^1 + 1. v_k = e_k, f =
+-L/sqrt(2) half and half, eta = 1/L^2: it is at most 4 L^2/K^2 then, and Attn (1-Attn)^2 L^2 K/(2 (K-1)^2)."""

for K in (52, 5200):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = 4 / 27 * L**2 * K / (2 * (K - 1) ** 2), 4 * L**2 / K**2
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
