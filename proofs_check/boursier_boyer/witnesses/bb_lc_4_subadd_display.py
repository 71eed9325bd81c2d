"""C.2, last display, line 1: L = 1, tokens 1, -1 with weights 1/2, 1/2 (sigma2 = 1), Uz = 0, f = 237, -237, so C_f = 237."""
from math import e, exp, log, sqrt

L, d, sigma2, Uz, C_f = 1, 1, 1, 0, 237
left, F4 = (237**2 + 237**2) / 2, sqrt((237**4 + 237**4) / 2)
first = 2 * 108 * exp(4 * sigma2 * Uz**2) * F4 * log(L) / L
rate = max(0, L / 2 - exp(2 * sigma2 * Uz**2)) * F4 / (16 * sigma2 * C_f**2)
right = first + 2 * 16 * sigma2 * L * C_f * e ** (2 * d) * exp(-rate)
print(left, "<=", right)
assert left > right
