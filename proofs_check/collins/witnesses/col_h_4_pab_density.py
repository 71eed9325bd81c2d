"""k = 2: the density of u_1'u on the circle at a = 99/100 exceeds 1."""
from math import pi, sqrt

k, a = 2, 99 / 100
p_a = 1 / (pi * sqrt(1 - a**2))
print(p_a, "<= 1, difference", p_a - 1)
assert p_a > 1
