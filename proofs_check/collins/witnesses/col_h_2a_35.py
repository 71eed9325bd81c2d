"""c_u = -1, C_1 = s = u_i'u = 1, the other summands R = 1: the weight at -s is larger than at s."""
from math import exp

c_u, C_1, s, R = -1, 1, 1, 1
weight = lambda t: t / (t + R)
print(weight(exp(-c_u * C_1 * s)) - weight(exp(c_u * C_1 * s)), "is not negative")
assert weight(exp(c_u * C_1 * s)) < weight(exp(-c_u * C_1 * s))
