"""(18), third term, from (19): Term 1 <= 216 E|f|^4 E|g|^4 L^{-1/6}; E|f|^4 = 3 s^4 for tokens N(0, s^2), f(z) = z; g = 1."""

L = 2
for s, c3 in [(1, 1), (10**6, 10**20)]:
    left, right = 216 * 3 * s**4 * L ** (-1 / 6), c3 * L ** (-1 / 6)
    print("bound of Term 1", left, "<=", right, "third term of (18)")
    assert left > right
