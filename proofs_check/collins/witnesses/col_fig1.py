"""Appendix J, Figure 1: what is left of the mean square of nu cos(theta - b) beside functions that are linear in x."""
from math import cos, pi

nu, b, angles = 1, 0.7, [2 * pi * k / 12 for k in range(12)]  # twelve angles average products of two such cosines exactly
mean = lambda g: sum(map(g, angles)) / 12
f = lambda angle: nu * cos(angle - b)
linear = 2 * mean(lambda a: f(a) * cos(a)) ** 2 + 2 * mean(lambda a: f(a) * cos(a - pi / 2)) ** 2
left = mean(lambda a: f(a) ** 2) - linear
print("nu =", nu, "; left:", round(left, 12))
assert abs(left) < 1e-12
