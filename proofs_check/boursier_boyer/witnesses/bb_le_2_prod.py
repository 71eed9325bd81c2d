"""Lemma E.2, fourth line: a = 0, b = 1, y = 0."""

from math import hypot

a, b, y = 0, 1, 0
left, right = max(hypot(a, y), hypot(b, y)) * abs(a - b), abs(y) * (abs(a) + abs(b)) * abs(a - b)
print(left, "<=", right)
assert left > right
