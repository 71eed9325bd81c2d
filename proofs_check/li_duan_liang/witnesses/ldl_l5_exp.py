"""Lemma 5: exp(q_{k,m} - q_k) <= c/K from q_k - q_{k,m} = Theta(log K). Here the gap is
log(K)/2."""

from math import exp, log

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = exp(-log(K) / 2), 1 / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
