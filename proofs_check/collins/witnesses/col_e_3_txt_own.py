"""After Theorem E.3: L^2 w^(-3/2) at w = (L^2)^(2/(d+2)) grows like L to the power 2(d-1)/(d+2)."""
from fractions import Fraction as F

d = 2
found, printed = 2 - F(3, 2) * 2 * F(2, d + 2), F(2 * d, d + 2)
print("d =", d, "; exponent", found, "; printed", printed)
assert found != printed
