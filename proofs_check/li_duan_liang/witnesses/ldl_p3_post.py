"""Section 5.2: 1 - Attn_k <= c epsilon from Attn_k = Omega(1/(1 + epsilon delta)). Here Attn_k =
1/(2 (1 + epsilon delta))."""

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = 1 - 1 / (2 * (1 + epsilon * delta)), epsilon
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
