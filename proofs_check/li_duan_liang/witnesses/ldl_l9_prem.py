"""Lemma 9: 1 - Attn_k = (K-1) Attn_n <= c epsilon delta with Attn_n = delta/K."""

for K in (4, 4000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K
    left, right = (K - 1) * delta / K, epsilon * delta
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
