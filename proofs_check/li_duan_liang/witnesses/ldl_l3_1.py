"""Lemma 3: 1 <= c K Attn_j. v_k = e_k + s_k c_k b, c_1 = 10, c_k = 1 or 5 on half of the others, s_k = +-1,
f = +-s L/sqrt(2), eta = 1/(100 L^2), T = T_f^1: Attn_j <= 4 (1 + K log(K)/10)^(-1/29)/K."""

from math import log

for K in (4 * 11**16, 4 * 99**16):
    left, right = 1, 4 * (1 + K * log(K) / 10) ** (-1 / 29)
    print("K, c1, c2:", K, 1, 1, "left", left, "right", right)
    assert left > right
