"""The task L <u, x>, u = (1, ..., 1, -1, ..., -1)/sqrt(K), on orthonormal features."""
from math import sqrt

L = 2
for K in (4, 400, 40000):
    largest = L * (1 - -1) / sqrt(K)  # difference of two values
    print(K, L * sqrt(2) / largest, "<= 1")
    assert L * sqrt(2) > largest
