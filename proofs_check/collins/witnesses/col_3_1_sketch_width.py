"""Sketch, d = 3: the cap 1 - t <= 1/(2w) has the measure 1/(4w), so that L^2/(48w^2) + 4w sigma^2/n
is least at (Lambda/96)^(1/3).
"""
c = 1
for k in (5, 20, 100):
    Lambda = k**21
    print("c = 1, Lambda =", Lambda, "; best width over the printed power:", (c * Lambda / 96) ** (1 / 3) / (c * Lambda) ** (2 / 7))
assert (100**21 / 96) ** (1 / 3) / (100**21) ** (2 / 7) > 20
