"""Lemma E.2, 8, 8 -> 8, 16: L = 1, y = 0, x and x_q = 8/5 or -2/5 (1-sub-Gaussian), U11 = -(5/4) ln 2, last row (1, 0) of V."""

law, left, right = ((8 / 5, 1 / 5), (-2 / 5, 4 / 5)), 0, 0  # value, probability
for (_, mass), weights in zip(law, ((1 / 16, 1), (2, 1))):  # the weights e^{x_q U x} of the two values, up to a factor
    T = sum(x * p * r for (x, p), r in zip(law, weights)) / sum(p * r for (_, p), r in zip(law, weights))
    left += mass * sum(p * (8 * x**4 + 8 * T**4) for x, p in law)
    right += mass * sum(p * (8 * (x - T) ** 4 + 16 * T**4) for x, p in law)
print(left, "<=", right)
assert left > right
