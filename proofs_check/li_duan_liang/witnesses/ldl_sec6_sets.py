"""Section 6: L = .4 of the flat set against 1/(Delta delta), delta at s times its floor in (9)."""
from math import sqrt

K, N, Delta, L = 4, 100, 3, 0.4
for s in (1, 13 / 12):
    threshold = 1 / (Delta * s * sqrt(20 * K / N))
    print("K, N, Delta, s:", K, N, Delta, s, "L", L, "threshold", threshold)
    assert L > threshold and s * sqrt(20 * K / N) < 1
