"""Theorem 3.5 without hypotheses, d = 3, L = 1: the loss is at least sigma2/n = 1/Lambda at every
width.
"""
for n in (2, 10, 100):
    sigma2 = n**6
    whole = n / sigma2  # Lambda
    print("d = 3, L = 1, n =", n, "sigma2 =", sigma2, "C = 1; left =", 1 / whole / whole ** (-1 / 5), "; right = 1.0")
assert whole ** (-4 / 5) > 10**7
