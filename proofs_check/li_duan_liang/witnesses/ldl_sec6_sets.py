"""Section 6: L = .4 of the flat set against 1/(Delta delta), delta at its floor in (9)."""
from math import sqrt

K, N, Delta, L = 4, 100, 3, 0.4
threshold = 1 / (Delta * sqrt(20 * K / N))
print("K, N, Delta:", K, N, Delta, "L", L, "threshold", threshold)
assert L > threshold
