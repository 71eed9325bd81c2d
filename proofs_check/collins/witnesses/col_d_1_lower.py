"""Lemma D.1, d = 3, n = m^3, w = m: the noise over sigma^2 is at most 36 w/n; printed is w^(3/2)/n."""
for m in (10201, 10**5, 10**8):
    w = m
    print("d = 3, m =", m, "w =", w, "C = 1; left =", w**0.5 / 36, "; right = 1.0")
assert w**0.5 / 36 > 100
