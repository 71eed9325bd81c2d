"""Lemma 4: c <= Attn_k in Phase I. v_k = e_k, f = +-L/sqrt(2) half and half, eta = 1/L^2: After T
steps Attn_k <= 2 (1 + 4T/(K-1)^2)/K."""

for K in (8, 8000):
    N, delta, epsilon, L, T = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K, 1
    left, right = 1.0, (1 + 4 * T / (K - 1) ** 2) * 2 / K
    print("K, N, delta, epsilon, L, T:", K, N, delta, epsilon, L, T, "left", left, "right", right)
    assert left > right
