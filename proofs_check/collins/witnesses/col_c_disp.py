"""First display of Appendix C: the value to be predicted is that at the query, not at a token."""
from fractions import Fraction as F

f_1, f_2, f_query, gamma, sigma = F(-5, 3), F(-6), F(2), F(2, 7), F(8, 5)
losses = [(gamma * (f_1 + s * sigma) + (1 - gamma) * (f_2 + t * sigma) - f_query) ** 2 for s in (1, -1) for t in (1, -1)]
signal = sum(losses) / 4 - sigma**2 * (gamma**2 + (1 - gamma) ** 2)
printed = (f_1 - gamma * f_1 - (1 - gamma) * f_2) ** 2
print("loss minus noise", signal, "; printed", printed, "; at", f_1, f_2, f_query, gamma, sigma)
assert signal != printed
