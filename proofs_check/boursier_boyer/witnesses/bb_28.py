"""(28): sigma^2 = 1 or 2 with probability 1/2 each, L = 2, c_2' = 1; the root of the mean and the mean of the root."""

from math import log, sqrt

L, X = 2, lambda s2: s2**6 * log(2) ** 2 / 2 ** (1 / s2)
left, right = sqrt((X(1) + X(2)) / 2), (sqrt(X(1)) + sqrt(X(2))) / 2
print(left, "<=", right)
assert left > right
