"""Section 4: large L requires smaller steps. K = 2: 1 - Attn falls for every eta L^2."""

from math import exp

K, z = 2, 0
for etaL2 in (1, 100, 10000):
    after = z + etaL2 * K**2 * exp(z) / (2 * (K - 1) * (exp(z) + K - 1) ** 3)
    print("eta L^2:", etaL2, "1 - Attn:", (K - 1) / (exp(z) + K - 1), "->", (K - 1) * exp(-after) / (1 + (K - 1) * exp(-after)))
    assert after > z
