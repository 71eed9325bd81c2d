"""(28), the factor 2 c_1': both bounds of Proposition 3.4 at sigma = 1, L = 2, without the common c_1'/L^(c_2')."""

from math import log

sigma, L = 1, 2
left, right = sigma**6 * log(L) + sigma**12 * log(L) ** 2, 2 * sigma**12 * log(L) ** 2
print(left, "<=", right)
assert left > right
