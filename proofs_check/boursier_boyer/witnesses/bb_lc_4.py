"""Lemma C.4, p = 1: L = 1, d = 1, tokens 1 and -1 with weights 1/2, 1/2 (sigma2 = 1), Uz = 0, f = 244, -244, so C_f = 244."""
from math import e, exp, log, sqrt

L, d, sigma2, Uz, C_f = 1, 1, 1, 0, 244
left, F4 = (244**2 + 244**2) / 2, sqrt((244**4 + 244**4) / 2)
first = 2 * 108 * exp(4 * sigma2 * Uz**2) * F4 * log(L) / L
rate = (L / 2 - exp(2 * sigma2 * Uz**2)) * F4 / (16 * sigma2 * C_f**2)
right = first + 2 * 16 * sigma2 * L * C_f * e ** (2 * d) * exp(-rate)
print(left, "<=", right)
assert left > right
