"""Proof of Lemma 2: the triangle inequality with =, on K = 3 orthonormal features at Q = 0."""
from fractions import Fraction as F

f = f_1, f_2, f_3 = 0, F(1, 2), -F(1, 2)
mean = sum(f) / 3
left = F(1, 9) * abs(f_1 - mean) * abs(f_2 - mean)
right = F(1, 9) * sum(abs(f_1 - x) for x in f) / 3 * sum(abs(f_2 - x) for x in f) / 3
print(left, "=", right)
assert left != right
