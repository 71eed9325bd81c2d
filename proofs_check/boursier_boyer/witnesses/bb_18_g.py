"""(18) lacks the factor g(z) of Lemma C.9: one token, 1 or -1 with probability 1/2, f(z) = z, g = 2, d = 1, U = 0, R/S = 0."""

g, error = 2, sum((z_1 - 0) ** 4 / 2 for z_1 in (1, -1))
lemma, display = error * g**4, error
print("left side of Lemma C.9", lemma, "<=", display, "left side of (18)")
assert lemma > display
