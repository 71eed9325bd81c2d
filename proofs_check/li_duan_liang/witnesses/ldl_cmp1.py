"""Section 4: T_s^*(L) <= c T_f^*(1/(Delta delta)) for L far above 1/epsilon. eta = 1."""

from math import log, sqrt

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / sqrt(K), 10 * K
    left, right = K * log(K * L * sqrt(2) / epsilon) / (epsilon * 2 * delta**2 * L**2), K * log(K / epsilon)
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
