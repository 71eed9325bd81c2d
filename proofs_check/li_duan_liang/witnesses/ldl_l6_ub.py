"""Lemma 6: r/(r + 1) <= c delta with r = 1/u_k - 1/K, u_k = K (p_k - delta) and p_k = 1/K."""

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    r = 1 / (K * (1 / K - delta)) - 1 / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", r / (r + 1), "right", delta)
    assert r / (r + 1) > delta
