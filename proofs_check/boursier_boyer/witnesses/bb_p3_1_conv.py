"""Section 3, sketch of Proposition 3.1: one token z_1 = 1 with V = 2; the hull of the tokens is {1}. Any score does."""
from math import exp

z_1, V, score = 1, 2, 1
T = exp(score) * V * z_1 / exp(score)
print("T =", T, "in the hull of", [z_1])
assert not z_1 <= T <= z_1
