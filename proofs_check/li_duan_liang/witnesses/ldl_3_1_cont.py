"""Gaussian tokens, f = x'Ax + b'x: a lower bound of the loss for every Q, over epsilon^2."""
from math import log

L = 2
for d, N, epsilon in ((30, 150, 1 / 2), (60, 1200, 1 / 3), (3000, 150 * 10**6, 1 / 101)):
    largest = 20 / 9 * (log(N) + log(10) / 2)  # bounds the mean of the largest of N squared normal variables
    loss = L**2 * ((d - largest) / d) ** 2 / 2
    print(d, N, loss, loss / epsilon**2, "<= 1")
    assert loss > epsilon**2
