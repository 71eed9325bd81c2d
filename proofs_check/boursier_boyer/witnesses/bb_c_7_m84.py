"""C.7, ii): tokens and query 1 or -1 with probability 1/2 (sigma = 1), d = 1, U = 0, v = 2; Assumption 3.3 holds with M_84 = 1."""
from itertools import product

v, sigma, M84 = 2, 1, 1
moment = sum(abs(Z1) ** 8 * abs(Z) ** 4 for Z1, Z in product((1, -1), repeat=2)) / 4
assert moment <= sigma**16 * M84
print("|v|^4 * moment =", v**4 * moment, "<= sigma^16 M_84 =", sigma**16 * M84)
assert v**4 * moment > sigma**16 * M84
