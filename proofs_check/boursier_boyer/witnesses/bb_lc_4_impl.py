"""C.2, second display, first implication, u = R_L/S_L, v = R/S: L = 1, f(z) = z, P(z = 1) = P(z = -1) = 1/4, else 0; Uz = 0."""
from math import sqrt

u, v, theta = 1, 0, 1  # the token is 1
t_0 = 1 * sqrt(2 / 4)  # L sqrt(E f^4)
t = theta * (u + v) ** 2
print("t > t_0:", t, ">", t_0, "; error", (u - v) ** 2, ">= t =>", 2 * u**2 + 2 * v**2, "<= t")
assert t > t_0
assert (u - v) ** 2 >= t > 0
assert 2 * u**2 + 2 * v**2 > t
