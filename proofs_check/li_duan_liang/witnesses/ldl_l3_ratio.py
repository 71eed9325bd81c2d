"""Lemma 3: |q_m - q_n| <= c log(K)/K. v_k = e_k + s_k c_k b, c_1 = 10, c_k = 1 or 5 on half of the others, s_k = +-1,
f = +-s L/sqrt(2), eta = 1/(100 L^2), T = T_f^1: 29 (q_m - q_n) >= log(1 + K log(K)/10)."""

from math import exp, log

for K in (40, 4000):
    left, right = K * log(K) / 10, exp(29 * log(K) / K) - 1
    print("K, c1, c2:", K, 1, 1, "left", left, "right", right)
    assert left > right
