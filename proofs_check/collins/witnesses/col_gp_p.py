"""Appendix G: Lemmas C.4 and C.5 use g_p with p = 2."""
p, largest = 2, 1
print("p =", p, "; the largest that is named:", largest)
assert p > largest
