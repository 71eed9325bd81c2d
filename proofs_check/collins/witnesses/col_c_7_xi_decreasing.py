"""Lemma C.7: the mean of f(x)f(y) falls with the angle, so that it increases with the inner
product.
"""
from math import cos, pi, sin

closer = 1 / 2
mean = lambda angle: (sin(angle) + (pi - angle) * cos(angle)) / pi
slope = (mean(closer * pi + 1e-6) - mean(closer * pi - 1e-6)) / 2e-6
print("closer = 1/2; derivative in the angle", slope)
assert slope < -0.4
