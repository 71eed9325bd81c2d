"""Section 6: L = 1 at eta and L = 1/10 at 100 eta take the same steps; K = 4, f = L times a task of spread 2."""
from math import exp

K, s, z = 4, 10, 0
print("s:", s)
for _ in range(5):
    sharp, flat = (2 * eta * L**2 * K * exp(z) / ((K - 1) * (exp(z) + K - 1) ** 3) for L, eta in ((0.1 * s, 1), (0.1, s**2)))
    print("z =", z, "steps", sharp, flat)
    assert abs(sharp / flat - 1) < 1e-14
    z += sharp
