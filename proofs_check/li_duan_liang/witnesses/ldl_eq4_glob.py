"""The first line of (4): f = L delta0/2 for x >= 0, else 0, at a distance below delta0/2."""
from fractions import Fraction as F

L, delta0, distance = 2, F(1, 2), F(1, 16)
left, right = L * delta0 / 2, L * distance
print(left, "<=", right, "; difference", left - right)
assert left > right and all(left <= L * far for far in (delta0 / 2, delta0, 2 * delta0))
