"""C.2, third display, link 1: L = 1, tokens 1 and -1 with weights 1/2, 1/2 (sigma2 = 1), Uz = 0, f(z) = z; C_f = p = 1, R/S = 0."""
from math import exp, log, sqrt

L, sigma2, Uz = 1, 1, 0
C, delta_0 = 108 * exp(4 * sigma2 * Uz**2) * sqrt(1), 64 * exp(4 * sigma2 * Uz**2) / L**2
t_0 = 16 * C / (27 * delta_0 * L)
integral = max(0, 1 - max(0, t_0 / 2))  # of P(C_f^2 |z_1|^2 >= t) = 1_{t <= 1} from (t_0/2)_+ on
left, right = 1.0, C / L + C / L * (log(t_0) + log(L / C)) + 2 * L * integral
print(left, "<=", right)
assert left > right
