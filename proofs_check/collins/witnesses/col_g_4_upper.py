"""Lemma G.4, d = 3, p = 0: g_0/n is likely at least 1/(9r), and the bound at most 3 (2/r)^(3/2)/2."""
c = 1
for k in (0, 1, 99):
    r = c * (100 * (k + 2)) ** 2
    print("d = 3, p = 0, c = 1, r =", r, "C = 1; left =", 1 / (9 * r) / (1.5 * (2 / r) ** 1.5), "; right = 1.0")
assert 1 / (9 * r) / (1.5 * (2 / r) ** 1.5) > 100
