"""Lemma 5: q(T+1) = q(0) + eta (g(1) + ... + g(T)) under q(t+1) = q(t) + eta g(t), here for T =
3."""

from fractions import Fraction as F

g, q0, eta = [F(4, 3), F(1, 2), F(1, 3), F(12, 7)], F(-3), F(10, 3)
left, right = q0 + eta * sum(g), q0 + eta * sum(g[1:])
print("q(4) =", left, "printed:", right, "without g(0)")
assert left != right
