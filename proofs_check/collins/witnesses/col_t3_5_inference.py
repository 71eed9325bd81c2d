"""Theorem 3.5 without hypotheses, d = 3, L = 1, one token: the loss is at least 1/9 at every width,
and Lambda = 1/sigma2 grows.
"""
for k in (10, 100, 1000):
    sigma2 = 1 / k**5
    print("d = 3, L = 1, n = 1, sigma2 = 1/%d, C = 1; left =" % k**5, (1 / sigma2) ** 0.2 / 9, "; right = 1.0")
assert (1 / sigma2) ** 0.2 / 9 > 100
