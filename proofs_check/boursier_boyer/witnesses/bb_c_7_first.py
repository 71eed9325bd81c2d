"""C.7, first term: L = 1, d = 1, U = 0, v = 1, tokens -1, 0, 1 with probability 1/4, 1/2, 1/4 (sigma = 1), query 1 or -1."""
from fractions import Fraction
from math import log

law, L = {-1: Fraction(1, 4), 0: Fraction(1, 2), 1: Fraction(1, 4)}, 1
limit = sum(p * x * x for x, p in law.items())
left = sum(p * (x * x - limit) ** 2 for x, p in law.items())  # times z^2 = 1
print(left, "<= c_1 ln(L)^2/L^{c_2} =", log(L) ** 2, "times c_1")
assert left > 0 == log(L)
