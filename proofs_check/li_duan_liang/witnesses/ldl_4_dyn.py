"""Section 4: (L, eta) and (sL, eta/s^2) differ in their dynamics. K = 2, f = +-(1, -1) L/sqrt(2)."""

from math import exp

K, L, s, z = 2, 1, 2, 0
for _ in range(5):
    flat, sharp = (c * K**2 * exp(z) / (2 * (K - 1) * (exp(z) + K - 1) ** 3) for c in (L**2, (s * L) ** 2 / s**2))
    print("z =", z, "steps", flat, sharp)
    assert flat == sharp
    z += flat
