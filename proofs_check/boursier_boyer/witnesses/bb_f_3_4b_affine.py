"""F.3, item 4: affine combination t a_1 + (1 - t) a_2 of the parameters alpha of two points of the set; alpha > 0 is required."""
from fractions import Fraction

t, a_1, a_2 = -1, 1, Fraction(1, 2)
print("t =", t, " alpha =", t * a_1 + (1 - t) * a_2, " > 0")
assert a_1 > 0 and a_2 > 0 and not t * a_1 + (1 - t) * a_2 > 0
