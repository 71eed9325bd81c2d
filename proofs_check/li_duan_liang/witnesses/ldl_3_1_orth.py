"""Times to attention 1/2: orthogonal features at distance Delta, and Barnes-Wall vectors (at most 32 r K)."""
Delta = 3 / 2
for m in (7, 10, 13):
    r, K = 2**m, 2 ** (m * (m + 1) // 2)  # K is at least that
    orthogonal, lattice = K**2 / (8 * (Delta**2 / 2) ** 2), 32 * r * K
    print(r, K, orthogonal / lattice, "<= 1")
    assert orthogonal > lattice
