"""Appendix C: the terms with m and n other than k' = 1 do not vanish, at (1, 0), (1/2, 1), (0, -1)."""
from fractions import Fraction as F

x, y, f, w = F(1, 2), 1, 2, F(1, 3)  # attention 1/3, values 0, f, 0
product_with_v_1, values = [1, x, 0], [0, f, 0]
term = lambda m, n: w * w * values[m] * (product_with_v_1[m] - product_with_v_1[n])
dropped = sum(term(m, n) for m in (1, 2) for n in (1, 2))
print(dropped, "= 0")
assert dropped != 0
