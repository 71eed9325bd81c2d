"""Lemma 1 from below: 0 on M features, L Delta on M others, attention s on the other value."""
from fractions import Fraction as F

L, Delta = 2, F(3, 2)
for M, s in ((2, F(1, 2)), (4, F(1, 3)), (200, F(1, 101))):
    own, error = (1 - s) / M, s * L * Delta  # attention on one's own class, and yhat - f_k
    print(M, s, float((1 - own) ** 2 * (L * Delta) ** 2 / error**2), "<= 1")
    assert (1 - own) ** 2 * (L * Delta) ** 2 > error**2
