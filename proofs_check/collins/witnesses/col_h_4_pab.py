"""H_ab of (60) at p_a = p_b = 0, with h_ab + h_ba = t - r^2, r = t = 1."""
p_a, p_b, r, t = 0, 0, 1, 1
H = p_a * p_b * (t - r**2) + (p_a**2 + p_b**2) * r**2 / 2
print(H, "> 0")
assert not H > 0
