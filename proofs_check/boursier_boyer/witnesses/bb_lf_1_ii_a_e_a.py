"""Lemma F.1 (ii), first line: d = 1, Sigma = 1/2, c = 1, L = 2, w ~ N(0, 1)."""
from mpmath import mp, mpf, npdf, quad, sqrt

mp.dps = 20
mean = lambda sigma2, cuts: 2 * quad(lambda w: mpf(2) ** (-1 / sigma2(w)) * npdf(w), cuts)
left = mean(lambda w: max(mpf(1) / 2, w**2), [0, sqrt(mpf(1) / 2), 1, 4, 12])
right = mean(lambda w: max(mpf(1), w**2), [0, 1, 4, 12])
print("E L^(-c/sigma_mu^2) =", left, "=", right, "= E (L^c)^(-1/max(1, zeta))")
assert right - left > 0.1
