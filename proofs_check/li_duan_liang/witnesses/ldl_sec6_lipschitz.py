"""Section 6: cos(c.x) with the scalar c as the vector c(1, ..., 1) in R^15, its slope along (1, ..., 1)."""
from math import cos, sqrt

L, c, d, h = 1, 0.5, 15, 1e-6
f = lambda t: L / c * cos(c * sqrt(d) * t)  # at x = t (1, ..., 1)/sqrt(15)
t = 1 / (c * sqrt(d))
slope = abs(f(t + h) - f(t - h)) / (2 * h)
print("L, d:", L, d, "slope", slope)
assert slope > 3 * L
