"""Section 6: K = 4, time to 0.79 of the loss of L = 1 at its start, by L = 1 and L = 2 (u = 3/2)."""
from math import log

u = 1.5
G = lambda y: y**2 / 2 + 9 * y + 27 * log(y) - 27 / y
one, two = G(3 * (u - 1)) - G(1), (G(3 * (2 * u - 1)) - G(1)) / 4
print("u:", u, "time of L = 1", one, "time of L = 2", two)
assert two > one
