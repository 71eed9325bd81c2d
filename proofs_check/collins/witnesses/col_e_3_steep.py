"""Theorem 3.5, steeper tasks, d = 2: the loss is of the order Lambda^(-3 beta), and Lambda^(-2 beta) is printed."""
from fractions import Fraction as F

d = 2
beta = F(1, d + 2)
width = 2 * beta  # of the learned window, as a power of Lambda
signal, noise = F(3, 2) * width, 1 - width * F(d - 1, 2)  # w^(-3/2) and w^((d-1)/2)/Lambda
print("d =", d, "; exponent of 1/loss", min(signal, noise), "; printed", 2 * beta)
assert min(signal, noise) == 3 * beta > 2 * beta
