"""Lemma 3: exp(q_{k,m} - q_k) >= c e^{-log K} from q_k = Theta(log K). Here q_k = 2 log K, q_{k,m}
= 0."""

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = 1 / K, K**-2
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
