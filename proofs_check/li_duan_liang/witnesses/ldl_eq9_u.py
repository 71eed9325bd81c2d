"""Eq. (9) with delta = K^(-1/2), N = 21 K^3 and p_k = 1/K: u_k is negative and U_k unbounded."""
from math import sqrt

for K in (3, 100, 10**4):
    N, delta = 21 * K**3, 1 / sqrt(K)  # 567 tokens for K = 3
    u, U = K * (1 / K - delta), K * (1 / K + delta)
    print(K, N, "u_k =", u, "U_k =", U, "<= 1")
    assert delta**2 * N >= 20 * K and u < 0 and U > 1
