"""Proposition 4: c delta^2 L^2 Delta^2 epsilon/K <= g_k at the first step of Phase III. v_k = e_k, f =
+-L/sqrt(2) half and half, eta = 1/L^2: g_k <= 4 L^2/K^2."""

for K in (160, 16000):
    N, delta, epsilon, L = 320 * K**3, K**-0.25, K**-0.125, K**0.25
    left, right = delta**2 * 2 * L**2 * epsilon / K, 4 * L**2 / K**2
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
