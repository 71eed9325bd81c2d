"""C.1, control of S_L, fifth display: L = 3, Uz = 0 (so S_L = S = 3), sigma = 1, delta = 1/3: 1 + alpha_+ < S_L for sure."""
from math import log, sqrt

L, delta = 3, 1 / 3
S_L = S = L
lower, upper = (1 - sqrt(2 * log(1 / delta) / L)) * S, 1 + sqrt(3 / (delta * L))
print(lower, "<=", S_L, "<=", upper, "; probability", float(lower <= S_L <= upper), ">= 1 - 2 delta =", 1 - 2 * delta)
assert S_L > upper and 1 - 2 * delta > 0
