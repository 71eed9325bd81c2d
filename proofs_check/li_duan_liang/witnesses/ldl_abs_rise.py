"""Abstract: the attention rises rapidly at first. Its speed at attention a, with K classes,
orthonormal features, exchangeable tasks and eta sigma_f^2 = 1, is K a^2 (1-a)^3/(K-1)^2; at a = 2/5
it should be at most c times that at the start, a = 1/K."""

for K in (4, 4000):
    left, right = (K * a**2 * (1 - a) ** 3 / (K - 1) ** 2 for a in (2 / 5, 1 / K))
    print("K:", K, "left", left, "right", right, "ratio", left / right)
    assert left > right
