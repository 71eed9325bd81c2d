"""Lemma G.1, the bound from above: at d = 3 a cap of height epsilon is epsilon/2 of the sphere."""
epsilon = 2
cap, bound = epsilon / 2, (2 * epsilon - epsilon**2)
print("epsilon =", epsilon, "; left", cap, "; right", bound)
assert cap > bound
