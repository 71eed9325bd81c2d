"""Lemma E.4, constants 1, L = 2^n: x = +-1, U = 2 e2 e1', V = e2 e2', loss (z - y)^2/4; y = n with probability 1/(L n^16), E y = 0."""

from mpmath import mp, mpf, nstr, sqrt

mp.dps, n, L, p = 200, 183, mpf(2) ** 183, mpf(183) ** -16  # with probability 1 - p the task is y = 0; sigma_mu = n or 1
left = p / 4 * n**2 * ((1 - 1 / L) ** 2 - (1 - (1 - 1 / L) ** L) - 7 / (L - 1) ** 2)  # at most |d(R_L - R_inf)/dv|
T, in_U, in_V = sqrt(p) * n, n * (1 / sqrt(L) + p * n**6), sqrt(n) * (1 / sqrt(L) + p * n**3)  # log2(L) for ln(L)
right = 2 * sqrt(2) * in_U * (2 * T + sqrt(in_V)) + in_V * T * (1 + n)
print("n =", n, " L =", nstr(L, 20), " |grad R_L - grad R_inf| >=", nstr(left, 5), ">=", nstr(p * n**2 / 24, 9), "<=", nstr(right, 9))
assert left > p * n**2 / 24 > right
