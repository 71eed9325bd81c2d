"""Proposition 1: 1 - Attn_k over epsilon, where the loss is epsilon^2/2."""
L, Delta = 2, 3 / 2
for n in (3, 100, 10**4):
    M, epsilon = 2 * n, 1 / n  # M = 6, epsilon = 1/3; 0 on M features, L Delta on M others
    s = epsilon / (L * Delta)  # attention on the other value: the loss is epsilon^2/2
    print((1 - (1 - s) / M) / epsilon, "<= 1")
    assert 1 - (1 - s) / M > epsilon
