"""C.7, last display: L = 1, d = 1, U = 0, v = 1, token and query 1 or -1 with probability 1/2 (sigma = 1); X = Y = 0."""
from itertools import product
from math import log

L, X, Y = 1, 0, 0
left = sum((z1 * (z1 * z) - X * Y) ** 2 for z1, z in product((1, -1), repeat=2)) / 4
print(left, "<= c_1 ln(L)^2/L^{c_2} =", log(L) ** 2, "times c_1")
assert left > 0 == log(L)
