"""Theorem E.1, Case 3, d = 2, L = 1: the noise term is at most sigma^2, below 1/w^2 times every constant."""
w = 4  # above 2 + sqrt 2, below n/log n
for n in (144, 10**4, 10**8):
    sigma2 = 1 / n
    print("d = 2, L = 1, w = 4, n =", n, "sigma2 =", f"1/{n}", "C = 1; left =", 1 / (sigma2 * w**2), "; right = 1.0")
assert 1 / (sigma2 * w**2) > 10**6
