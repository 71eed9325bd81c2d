"""The constant in the proof of Lemma G.4: the sum X comes with 2e^2, and Y is the last term."""
from math import exp

X, Y = 1, 1
left, right = 2 * exp(2) * X + Y, 3 * X
print("X =", X, "; Y =", Y, "; left", left, "; right", right)
assert left > right
