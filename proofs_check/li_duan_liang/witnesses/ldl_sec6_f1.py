"""Section 6: the largest squared error of a mean of labels of size L/c, against 1."""
from fractions import Fraction as F

L, c = F(1, 10), F(1, 2)
largest = (2 * L / c) ** 2
print("L, c:", L, c, "largest squared error", float(largest), "printed", 1)
assert largest < 1
