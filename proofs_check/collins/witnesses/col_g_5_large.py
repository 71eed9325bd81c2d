"""Corollary G.5, d = 3, p = 0: g_0/n is likely at least 1/(9r); left is this over r^(-3/2), right is C."""
c = 1
for k in (9, 99, 10**4):
    r = c * (k + 1) ** 2
    print("d = 3, p = 0, c = 1, r =", r, "C = 1; left =", r**1.5 / (9 * r), "; right = 1.0")
assert r**1.5 / (9 * r) > 1000
