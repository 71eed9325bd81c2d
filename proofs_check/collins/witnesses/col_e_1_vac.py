"""End of Theorem E.1, d = 3: n = r^(3/2) with r = L^2/sigma^2, the end of the range; left over
right grows like (log n)^(2/3).
"""
from math import log

for k in (2, 10, 10**3, 10**9):
    n, r = (k + 2) ** 3, (k + 2) ** 2
    ratio = (n * r) ** 0.4 / (n / log(n)) ** (2 / 3)
    print("d = 3, n, r =", n, r, "; C = 1; left =", ratio, "; right = 1.0")
assert ratio > 10
