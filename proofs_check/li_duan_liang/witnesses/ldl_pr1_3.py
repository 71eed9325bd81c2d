"""Proposition 1, unseen task: L Delta on half of the features of either value."""
L, Delta = 2, 3 / 2
for n in (3, 100, 10**4):
    M, epsilon = 2 * n, 1 / n  # M = 6, epsilon = 1/3; 0 on M features, L Delta on M others
    s = epsilon / (L * Delta)  # attention on the other value: the loss is epsilon^2/2
    prediction = L * Delta / 2 * (1 - s) + L * Delta / 2 * s
    print((L * Delta - prediction) ** 2 / epsilon**2, "<= 1"); assert prediction**2 > epsilon**2
