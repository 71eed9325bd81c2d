"""Lemma C.4, (12): two tokens of equal weight at the height t, whose azimuths have the cosine c."""
from fractions import Fraction as F

n, t, c = 2, F(1, 2), F(9, 10)
left = (1 - t**2) * (1 + c) / n  # |(x_1 + x_2)/2 - t x|^2
right = n * 2 * (1 - t) / n**2  # g_2(2w)/g_0(w)^2 at every w
print("n, t, c =", n, t, c, "; left", left, "; right", right, "; left minus right", left - right)
assert left > right
