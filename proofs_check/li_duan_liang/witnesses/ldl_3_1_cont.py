"""Gaussian tokens, f = x'Ax + b'x: a lower bound of the loss for every Q, over epsilon^2."""
from math import log

d, N, L = 30, 150, 2
largest = 20 / 9 * (log(N) + log(10) / 2)  # bounds the mean of the largest of N squared normal variables
loss = L**2 * ((d - largest) / d) ** 2 / 2
for epsilon in (1 / 3, 1 / 100):
    print(loss, loss / epsilon**2, "<= 1")
    assert loss > epsilon**2
