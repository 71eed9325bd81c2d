"""C.5, first display, first line: f(z) = (z_+, z_-), f g = (f_1 - f_2) g, so |f(z) g| = |f(z)| |g|; token 1 or -1, U = 0, L = 1."""

from fractions import Fraction

half, f = Fraction(1, 2), lambda z: (max(z, 0), max(-z, 0))
errors = [(f(z)[0] - half, f(z)[1] - half) for z in (1, -1)]
left, right = sum((x - y) ** 4 for x, y in errors) / 2, sum((x**2 + y**2) ** 2 for x, y in errors) / 2
print("E|(R_L/S_L - R/S) g|^4 =", left, "<=", right, "= E|R_L/S_L - R/S|^4 |g|^4")
assert left > right
