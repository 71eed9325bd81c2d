"""Corollary E.3: c_2 of (16) is a multiple of E|VZ|^4^(1/2)/|V|^2. Tokens Z = (1, 3/4) x, x ~ N(0, 1); two rows V of norm 1."""

from fractions import Fraction as F

rows, Z = ((F(1), F(0)), (F(3, 5), F(-4, 5))), (F(1), F(3, 4))
norms = [v[0] ** 2 + v[1] ** 2 for v in rows]
fourth = [3 * (v[0] * Z[0] + v[1] * Z[1]) ** 4 for v in rows]
print("|V|^2 =", *norms, "  a function of |V|, bounded below: E|VZ|^4 =", *fourth)
assert (norms[0], *fourth) == (norms[1], 3, 0)
