"""Lemma 9: c delta^2 L^2 Delta^2 epsilon/K <= delta^2 L^2 Delta^2 epsilon^2/K, the line of its
proof."""

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K
    left, right = 2 * delta**2 * L**2 * epsilon / K, 2 * delta**2 * L**2 * epsilon**2 / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
