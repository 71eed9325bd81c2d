"""Lemma C.3, item 1: two values of f(x) = l w x + b differ by l w (x - y)."""
from fractions import Fraction as F

l, w, x, y = F(2, 3), F(-3, 2), F(1), F(-1, 8)
difference, printed = l * w * x - l * w * y, w * (x - y)
print("l, w, x, y =", l, w, x, y, "; difference", difference, "; printed", printed)
assert difference != printed
