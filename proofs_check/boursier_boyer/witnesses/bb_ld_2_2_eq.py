"""Lemma D.2, 2), proof: one token z_1 = 1 or -1 with probability 1/2, p = 2, B = 2. The tail integral from B on vanishes."""
L, p, B = 1, 2, 2
mean = (abs(1) ** p + abs(-1) ** p) / 2
tail = 0  # P(|z_1|^p >= t) = 0 for t >= B > 1
print("E max |z|^p =", mean, "= B + integral =", B + tail)
assert mean != B + tail
