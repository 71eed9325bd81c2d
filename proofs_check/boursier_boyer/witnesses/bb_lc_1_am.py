"""C.1, control of S_L, third display: L = 1, tokens 1 and -1 with probability 1/2 (sigma = 1), |Uz| = 1, delta = 99/100."""
from math import cosh, exp, log, sqrt

L, Uz, delta = 1, 1, 99 / 100
alpha, S = exp(Uz**2) * sqrt(2 * log(1 / delta) / L), L * cosh(Uz)
P = sum(S_L >= (1 - alpha) * S for S_L in (exp(Uz), exp(-Uz))) / 2
print("P(S_L >= (1 - alpha_-) S) =", P, ">= delta =", delta)
assert P < delta
