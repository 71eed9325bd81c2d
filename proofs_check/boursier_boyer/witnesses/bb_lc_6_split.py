"""C.3, first display, second line: one token, 1 or -1 with probability 1/2, f(z) = 244 z, g = 1, p = d = 1, U = 0, |z| = B = 1."""

from math import exp, log

L, C_f, sigma, K = 1, 244, 1, 244**2  # K = sqrt(E|f|^4)
left = sum((C_f * z_1) ** 2 / 2 for z_1 in (1, -1))
term_1 = 2 * 108 * K * log(L) / L
term_2 = 2 * 16 * sigma**2 * L * C_f * exp(2) * exp(-(L / 2 - 1) * K / (16 * sigma**2 * C_f**2))
print(left, "<=", term_1 + term_2)
assert left > term_1 + term_2
