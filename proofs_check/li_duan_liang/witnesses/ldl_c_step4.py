"""Appendix C: v_1'(v_1 - v_2) is replaced by 1, at (1, 0), (x, y), attention 1/2, values f and 0."""
from fractions import Fraction as F

x, y, f, w = F(1, 2), 1, 2, F(1, 2)
product = 1 * (1 - x) + 0 * (0 - y)
left, right = w * w * f * product, w * w * f * 1
print(left, "=", right, "; right minus left", right - left)
assert left != right
