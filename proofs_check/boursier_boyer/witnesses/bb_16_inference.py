"""(16), third term, from (17): Term 1 <= 216 sqrt(E|f|^4) E|g|^2 ln(L)/L^{1/3}; E|f|^4 = 3 s^4 for tokens N(0, s^2), f(z) = z."""

from math import log, sqrt

L = 2
for s, c3 in [(1, 1), (10**6, 10**12)]:  # p = g = 1
    left, right = 216 * sqrt(3 * s**4) * log(L) / L ** (1 / 3), c3 * log(L) / L ** (1 / 3)
    print("bound of Term 1", left, "<=", right, "third term of (16)")
    assert left > right
