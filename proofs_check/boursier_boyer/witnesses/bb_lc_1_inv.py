"""C.1, control of S_L, sixth display: L = 6, sigma = 100, |Uz| = 3/16, delta = 499/1000: 1/S_L > 0 has a negative upper bound."""
from math import exp, log, sqrt

L, sigma, n, delta = 6, 100, 3 / 16, 499 / 1000
alpha = exp(sigma**2 * n**2) * sqrt(2 * log(1 / delta) / L)
print("delta =", delta, ">=", exp(-L / 8 * exp(-2 * n**2)), "; S/S_L <= 1/(1 - alpha_-) =", 1 / (1 - alpha))
assert exp(-L / 8 * exp(-2 * n**2)) <= delta < 1 / 2 and 1 / (1 - alpha) < 0
