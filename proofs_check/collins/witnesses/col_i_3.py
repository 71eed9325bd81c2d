"""Lemma I.3 for a = (2, 4), b = (-2, -1), which are sorted the same way."""
from fractions import Fraction as F

(p, q), (r, s) = a, b = (2, 4), (-2, -1)
left, right = F(p**2 + q**2, (p + q) ** 2), F((p * r) ** 2 + (q * s) ** 2, (p * r + q * s) ** 2)
print("a_1, a_2, b_1, b_2 =", *a, *b, "; left", left, "; right", right, "; left minus right", left - right)
assert left > right
