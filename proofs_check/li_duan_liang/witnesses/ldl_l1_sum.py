"""The sum of |f_n - f_k| over n != k for a task with L Delta on half of the features and 0 on the others."""
L, Delta = 2, 3 / 2
for K in (4, 40, 400):
    f = [0] * (K // 2) + [L * Delta] * (K // 2)
    left = sum(abs(x - f[0]) for x in f[1:]) / (L * Delta)
    print(K, left, "<= 1")
    assert left > 1
