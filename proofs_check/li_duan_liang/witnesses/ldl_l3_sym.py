"""Lemma 3: |q_{k,m}| <= c q_k/K. One function, +-L/sqrt(2) on half of K orthonormal features:
|q_{k,m}| = q_k. In units of q_k."""

for K in (2, 2000):
    N, delta, epsilon, L = 2000 * K**3, 1 / (10 * K), 1 / K, 5 * K
    left, right = 1.0, 1 / K
    print("K, N, delta, epsilon, L:", K, N, delta, epsilon, L, "left", left, "right", right)
    assert left > right
