"""Lemma E.2, third line, for the squared loss: a = 1, b = 0, y = -1."""

from math import hypot

a, b, y = 1, 0, -1
left, right = abs((a - y) ** 2 - (b - y) ** 2) / 2, max(hypot(a, y), hypot(b, y)) * abs(a - b)
print("|l(a, y) - l(b, y)| =", left, "<=", right)
assert left > right
