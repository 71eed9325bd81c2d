"""Definition B.3: a normal w has any length; with l = L and |w| = 2 the Lipschitz constant is 2L."""
l, L, w = 1, 1, 2
print("l, L, w =", l, L, w, "; Lipschitz constant", l * w)
assert l * w > L
