"""Appendix A: times that go like 1/L^2, as in Propositions 2 and 3, from L = 1 to L = 1/10."""
from fractions import Fraction as F

T, L = 30, F(1, 10)
needed = T / L**2
print("T, L:", T, L, "epochs at L", needed, "printed", 300)
assert needed > 300
