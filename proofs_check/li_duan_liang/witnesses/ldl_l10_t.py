"""Lemma 10 against Proposition 4: T_s^* <= c K log(K L Delta/epsilon)/(L^2 Delta^2 delta^2
epsilon), which lacks eta = 1/n."""

for n in (2, 2000):
    left, right = float(n), 1.0  # in units of the right side
    print("eta =", 1 / n, "left", left, "right", right)
    assert left > right
