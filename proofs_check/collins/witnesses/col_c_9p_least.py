"""Lemma C.9: the roots are missing in (L_aff - a)^2 + a^2."""
from fractions import Fraction as F

a, L_aff = F(1, 3), F(1, 2)
left, right = (L_aff - a) ** 2 + a**2, L_aff / 2
print("a, L_aff =", a, L_aff, "; left", left, "; right", right)
assert left < right
