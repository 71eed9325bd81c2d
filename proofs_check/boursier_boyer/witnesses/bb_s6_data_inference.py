"""Section 6: 'the model described in Equation (11)' against the displayed data, d = 5, Sigma = I: the second moment of a label."""
from fractions import Fraction

d, Sigma = 5, 1
model = d * 1 * Sigma  # w ~ N(0, I), no noise: E y^2 = tr(Sigma)
data = d * Fraction(1, d) * Sigma + Fraction(1, 10)  # w ~ N(0, I/d), noise of variance 0.1
print("E y^2 in (11) =", model, "=", data, "= E y^2 of the data")
assert model != data
