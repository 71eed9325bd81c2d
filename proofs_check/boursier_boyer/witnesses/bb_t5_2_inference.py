"""Theorem 5.2 to Assumption 4.2 (i): d = 1, Sigma = 2, alpha = 1/2; the query is claimed to be 1-sub-Gaussian, at v = 1."""
from mpmath import exp, inf, npdf, quad, sqrt

d, Sigma, alpha, v = 1, 2, 0.5, 1
assert 0 < alpha < sqrt(2) / (d**0.25 * Sigma)  # the hypothesis of the theorem
mgf = quad(lambda x: exp(v * x) * npdf(x, 0, sqrt(Sigma)), [-inf, 0, 5, inf])
print("E e^{v x} =", mgf, "<=", exp(v**2 / 2), "= e^{v^2/2}")
assert mgf > exp(v**2 / 2) + 1
