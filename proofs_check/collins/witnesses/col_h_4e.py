"""(62) at p_a = 0, with h_aa = h_bb = r^2 and h_ab + h_ba = t - r^2: H_ab of (60) is the square."""
p_a, p_b, r, t = 0, 1, 1, 1
H = p_a * p_b * (t - r**2) + (p_a**2 + p_b**2) * r**2 / 2
square = (p_a - p_b) ** 2 * r**2 / 2
print(H, ">", square)
assert not H > square
