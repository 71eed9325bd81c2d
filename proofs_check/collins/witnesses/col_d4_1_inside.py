"""The task with a = 2 L w, w in col(B), has the Lipschitz constant 2 L; the class holds it for
every L.
"""
L, w = 3, 1
a = 2 * L * w  # |a| = 6
print(abs(a * w), "<=", L, "difference", abs(a * w) - L)
assert abs(a * w) > L
