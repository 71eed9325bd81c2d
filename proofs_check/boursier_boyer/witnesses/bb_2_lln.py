"""Section 2: T[mu_L](z) need not converge. d = 1, V = 1, Qz = 0, P(Z = 2^n) = 2^-n: E min(Z, 2^N) exceeds every bound, so the means tend to oo."""
from fractions import Fraction

for N in (10, 100, 1000):
    least = sum(Fraction(1, 2**n) * 2**n for n in range(1, N + 1))  # the strong law, for min(Z, 2^N): the limit of T is at least this
    print("almost surely the lower limit of the outputs is at least", least)
    assert least == N
