"""Theorem E.2, d = 2: the bound 1/w^2 + 1/n falls for ever; its slope is -2/w^3."""
w = 1
slope = -2 / w**3
print("w =", w, "; slope", slope)
assert slope < 0
