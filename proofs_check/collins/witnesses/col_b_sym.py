"""After Lemma B.1: for d = 3 the height is uniform, and the mean of cos(L u'x) is sin(L)/L."""
from math import sin

L = 1
print("L =", L, "; mean and 1:", sin(L) / L + 1, "; if f and -f are equally likely", 1.0)
assert sin(L) / L > 0.8
