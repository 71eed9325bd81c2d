"""Lemma 2: (1 + u) ln(1 + u) - u >= u^2/(2 + u/3) fails at u = 1."""
from math import log

u = 1
left, right = (1 + u) * log(1 + u) - u, u**2 / (2 + u / 3)
print("u =", u, ":", left, ">=", right)
assert left < right
