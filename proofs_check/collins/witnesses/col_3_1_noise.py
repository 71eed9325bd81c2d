"""Sketch, d = 3: the cap 1 - t <= 1/(2w) has the measure 1/(4w); the printed w^(3/2) over 4w grows without end."""
c = 1
for k in (5, 100, 10**4):
    w = c * k**2
    print("d = 3, c = 1, w =", w, "C = 1; left =", w**1.5 / (4 * w), "; right = 1.0")
assert w**1.5 / (4 * w) > 2000
