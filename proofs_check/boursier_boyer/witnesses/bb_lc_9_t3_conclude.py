"""Appendix C, Term 3 of Lemma C.9: sqrt(d^{2p} + ln(L)^{2p}) is bounded by a multiple c of ln(L)^p. d = 1, L = 1, p = 1 and 2."""

from math import log, sqrt

d, L = 1, 1
for c in (1, 1e300):
    for p in (1, 2):
        print(sqrt(d ** (2 * p) + log(L) ** (2 * p)), "<=", c * log(L) ** p)
        assert sqrt(d ** (2 * p) + log(L) ** (2 * p)) > c * log(L) ** p
