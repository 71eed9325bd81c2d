"""Section 6: cosine tasks against the second line of (4), two features at u.v = 1 and -1."""
from math import cos

L, c, t, C = 1, 1, 1, 1
left, right = C * abs(L / c * cos(c * t) - L / c * cos(-c * t)), L * 2 * t
print("L, c, t, C:", L, c, t, C, "C times the difference of the values", left, "L times the distance", right)
assert left == 0 < right
