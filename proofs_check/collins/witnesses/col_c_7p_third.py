"""Lemma C.7: the mean of l^2 for l uniform on [-L, L] is L^2/3; printed is L^2, here at x = y."""
from fractions import Fraction as F

L, d = F(1, 3), 1
true, printed = L**2 / 3 + L**2 / 3 / d, L**2 / 3 + L**2 / d
print("L, d =", L, d, "; true", true, "; printed", printed)
assert true != printed
