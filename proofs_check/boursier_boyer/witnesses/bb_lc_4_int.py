"""C.2, first display: L = 1, tokens 1 and -1 with weights 1/2, 1/2 (sigma2 = 1), Uz = 0, f(z) = z; R/S = 0, E f^4 = 1."""
from math import exp, log, sqrt

L, sigma2, Uz = 1, 1, 0
C, delta_0 = 108 * exp(4 * sigma2 * Uz**2) * sqrt(1), 64 * exp(4 * sigma2 * Uz**2) / L**2
t_0 = 16 * C / (27 * delta_0 * L)
tail = max(0, 2 * 1 - t_0)  # P(max |f|^2 >= t/2) = 1 up to t = 2
left, right = 1.0, C / L + C / L * log(t_0 * L / C) + tail
print(left, "<=", right)
assert left > right
