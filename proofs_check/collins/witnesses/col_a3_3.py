"""After Definition B.3: with the eigenvalues s^2 and 1 of Sigma a token x is not of length 1."""
from fractions import Fraction as F

p, s = F(1, 3), F(3, 2)
x = s * (1 - p**2) / (1 + p**2), 2 * p / (1 + p**2)
print("p, s =", p, s, "; squared length", x[0] ** 2 + x[1] ** 2, "; printed", 1)
assert x[0] ** 2 + x[1] ** 2 != 1
