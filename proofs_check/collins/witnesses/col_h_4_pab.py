"""H_ab of (60) at p_a = p_b = 0, with e^{ca} = e^{cb} = 1, alpha_1 = 2 and alpha_2 = 1."""
p_a, p_b, p, q, first, second = 0, 0, 1, 1, 2, 1
h = lambda p, q: p * q * (p * first - q * second) / (p * first + q * second) ** 3
H = p_a * p_b * (h(p, q) + h(q, p)) + (p_a**2 * h(p, p) + p_b**2 * h(q, q)) / 2
print(H, "> 0")
assert not H > 0
