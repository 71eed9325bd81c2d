"""Section 4: T_s^*(L, eta, epsilon) <= c T_s^*(s L, eta/s^2, s epsilon), problems whose paths and
times are the same. eta = 1/L^2."""

from math import log, sqrt

for K in (4, 4000):
    N, delta, epsilon, L, s = 2000 * K**3, 1 / (10 * K), 1 / K, 10 * K, K // 2
    left, right = log(K * L * sqrt(2) / epsilon) / epsilon, log(K * L * sqrt(2) / epsilon) / (s * epsilon)
    print("K, N, delta, epsilon, L, s:", K, N, delta, epsilon, L, s, "left", left, "right", right)
    assert left > right
