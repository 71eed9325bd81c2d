"""The display after (28) at L = 1: y = 0, x = +-1, U = 0, last row (1, 0) of V; the output is x_1, and 0 for L = oo."""
from math import log

left = sum(2 * x**2 + 2 * 0**2 for x in (1, -1)) / 2
right = 4 * 0 + 4 * log(1) + 4 * 0  # the middle term is a multiple of ln(L)
print("E[2|T_1|^2 + 2|y|^2] =", left, "<=", right)
assert left > right
