"""Lemma C.7: at a smaller angle, where the inner product is larger, 2 arccos/pi is smaller."""
from fractions import Fraction as F

share, closer = F(1, 2), F(1, 2)
print("share, closer =", share, closer, "; at the angle pi share:", 2 * share, "; at the smaller one:", 2 * share * closer)
assert 2 * share * closer < 2 * share
