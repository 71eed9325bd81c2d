"""With c_v = 0 the weights e^(c c_v^2 v_i'v) of v_i = v and v_i = -v are equal for every c."""
from math import exp

c, c_v = 1, 0
weights = [exp(c * c_v**2 * s) for s in (1, -1)]
print(c, c_v, weights)
assert weights[0] == weights[1] and c != 0
