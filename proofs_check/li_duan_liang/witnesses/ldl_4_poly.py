"""Contribution 3: near-zero loss in polynomial time. K = 2, features on a line: for no Q at all."""

from math import exp

v1, v2, L, epsilon = 1, 2, 2, 1 / 3
w = lambda z: 1 / (1 + exp(-z))
loss = lambda Q: L**2 * (v2 - v1) ** 2 / 4 * ((1 - w(v1 * (v1 - v2) * Q)) ** 2 + (1 - w(v2 * (v2 - v1) * Q)) ** 2)
least = min(loss(Q / 100) for Q in range(-2000, 2001))
print("least loss on a grid of Q:", least, ">= 1/4 >", epsilon**2)
assert least >= 1 / 4 > epsilon**2
