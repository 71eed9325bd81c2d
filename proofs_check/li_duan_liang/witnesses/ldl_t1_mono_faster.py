"""Time to the loss epsilon^2: v_k = e_k, f = +-L/sqrt(2) half and half, equal shares, z = q_k - q_{k,m}."""

from math import exp

K, epsilon, eta, T = 8, 1 / 8, 1 / 50, []
for L, z, t in ((9 / 32, 0, 0), (10 / 32, 0, 0)):
    while L * K / (2 * (exp(z) + K - 1)) > epsilon:
        z, t = z + eta * L**2 * K**2 / (2 * (K - 1)) * exp(z) / (exp(z) + K - 1) ** 3, t + eta
    print("L:", L, "eta T", T := [*T, t], "longer by", T[-1] - T[0])
assert T[1] > T[0]
