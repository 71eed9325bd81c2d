"""(48) at a = -1, alpha_1 = 1, alpha_i = 1/2, e^(ca) = p = 1, R = 1: the value is 0, and not
positive.
"""
a, p, first, other, R = -1, 1, 1, 1 / 2, 1
G = 2 * (1 - a**2) * p**3 * (first - other) / (p * (first + other) + R) ** 3
print(G, "> 0")
assert not G > 0
