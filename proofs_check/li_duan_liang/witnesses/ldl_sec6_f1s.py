"""Section 6: Attn >= 9/10 at L = .1 by t = 250 is the same at L = 1 by t = 3; loss at t = 30."""
from fractions import Fraction as F

L, c, Attn = 1, F(1, 2), F(9, 10)
largest = (2 * L / c * (1 - Attn)) ** 2
print("L, c, Attn:", L, c, Attn, "largest loss", float(largest), "printed", 0.6)
assert largest < F(1, 2)
