"""Lemma 5: 1/delta <= c N/|V_k|. On the event of (9) |V_k| >= (p_k - delta) N; here p_k = 1/K and
delta = 1/K^2."""

for K in (4, 4000):
    N, delta, epsilon, L = 20 * K**5, 1 / K**2, 1 / K, 5 * K
    left, right = 1 / delta, 1 / (1 / K - delta)
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
