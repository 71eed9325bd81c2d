"""B.2: the limit contains E[zz'], which does not exist for P(Z = 2^n) = 2^-n, n = 1, 2, ..., in d = 1: term n of E[Z^2] is 2^n."""
from fractions import Fraction

terms = [Fraction(1, 2**n) * (2**n) ** 2 for n in range(1, 101)]
print("the first 100 terms of E[Z^2] sum to", float(sum(terms)), "; each term is", terms[1] / terms[0], "times the one before")
assert all(after == 2 * before for before, after in zip(terms, terms[1:]))
