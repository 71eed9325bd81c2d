"""Lemma E.4 without Assumption 4.2 (ii): P(task n) = 2^-n, y = +-2^n, loss c^2/(2 + 2 c^2), L = 1, U = 0, last row (0, v) of V; grad_1 loss(0) = 0."""
from fractions import Fraction

loss = lambda c: c**2 / (2 + 2 * c**2)
R_1 = lambda v: sum(Fraction(1, 2**n) * loss(v * 2**n) for n in range(1, 61))  # tasks 1 to 60; the others only add to it
slopes = [(float(R_1(s * v) / (s * v)), s) for v in (Fraction(1, 2**k) for k in range(1, 51)) for s in (1, -1)]
print("E[J grad_1 loss] = 0 at v = 0, but R_1(v)/v at v = +-2^-k, k = 1, .., 50: least", min(r for r, s in slopes if s > 0), ", largest", max(r for r, s in slopes if s < 0), ", at least 1/4 in absolute value")
assert all(s * r >= 1 / 4 for r, s in slopes)
