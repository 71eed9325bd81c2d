"""Proof of Theorem E.2, d = 2, L = c = 1: the bound at the printed width 1/X, and 4X, for X = 3."""
d, X = 2, 3.0
w, whole = 1 / X, d / X ** ((d + 4) / 2)  # Lambda
print("d =", d, "X =", X, "; bound", w**-2 + w ** (d / 2) / whole, "; 4X =", 4 * X)
assert w**-2 + w ** (d / 2) / whole > 4 * X
