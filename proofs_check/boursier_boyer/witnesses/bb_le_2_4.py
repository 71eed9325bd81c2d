"""Lemma E.2, 8, 8 -> 8, 16: one token, 1 or -3 with probabilities 3/4, 1/4, and Uz = -ln(2)/4, so weights 1 : 2; V = 1."""

from fractions import Fraction as F

law = ((F(1), F(3, 4), 1), (F(-3), F(1, 4), 2))  # value, probability, e^{z Uz} up to a common factor
T = sum(z * p * w for z, p, w in law) / sum(p * w for z, p, w in law)
left = 8 * sum(p * z**4 for z, p, w in law) + 8 * T**4
right = 8 * sum(p * (z - T) ** 4 for z, p, w in law) + 16 * T**4
print(float(left), "<=", float(right))
assert left > right
