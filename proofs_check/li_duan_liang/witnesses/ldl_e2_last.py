"""Appendix E.2: (1 - Attn_k)^2 L^2 Delta^2 <= c epsilon^2 delta^2 with 1 - Attn_k = epsilon
delta."""

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K
    left, right = 2 * (epsilon * delta * L) ** 2, (epsilon * delta) ** 2
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
