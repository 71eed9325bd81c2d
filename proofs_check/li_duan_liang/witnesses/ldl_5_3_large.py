"""Section 5.3: g_k becomes large. With sigma_f = 1, K = 2 and orthonormal features it is w
(1-w)^2/(K-1) at attention w."""

K = 2
late, early = (w * (1 - w) ** 2 / (K - 1) for w in (2 / 3, 1 / 2))
print("g_k at w = 2/3:", late, "at w = 1/2:", early)
assert late < early
