"""Section 2: T is no map on all of P(R^d). d = 1, V = 1, Qz = 0, P(Z = 2^n) = 2^-n, n = 1, 2, ...: the numerator E[Z] diverges."""
from fractions import Fraction

terms = [Fraction(1, 2**n) * 2**n for n in range(1, 101)]
print("the first 100 terms of the numerator sum to", sum(terms), "; each term is", terms[-1])
assert set(terms) == {1}
