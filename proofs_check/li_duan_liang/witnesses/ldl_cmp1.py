"""Section 4: L epsilon T(L) <= c T(1), T the exact time of the flow to the loss epsilon^2 at one eta."""

from math import log

for K in (8, 8000):
    N, delta, epsilon, M, T = 2000 * K**3, 1 / (10 * K), 1 / K, K - 1, []
    for L in (1, K**2):  # y = e^z at this loss
        y = L * K / (2 * epsilon) - M
        T.append(((y**2 - 1) / 2 + 3 * M * (y - 1) + 3 * M**2 * log(y) + M**3 * (1 - 1 / y)) / L**2)
    assert print(K, N, delta, epsilon, L, "flat", 1, L * epsilon, T[0] / T[1]) or L * epsilon > T[0] / T[1]
