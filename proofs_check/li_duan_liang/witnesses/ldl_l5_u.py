"""Lemma 5: 1/u_k - 1/K <= c delta, where u_k = K (p_k - delta) and p_k = 1/K."""

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = 1 / (K * (1 / K - delta)) - 1 / K, delta
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
