"""Section 3.1, M = wI with w = 1, c = 1 + e = 2: the score of a token at the distance sqrt(c/w), less that at the query."""
from fractions import Fraction as F

w, e = F(1), F(1)
c = 1 + e
height = 1 - c / w / 2  # x'x_i, as |x - x_i|^2 = 2 - 2 x'x_i
print("e =", e, "; w (x'x_i - 1)", w * (height - 1), "; printed", -c)
assert w * (height - 1) != -c
