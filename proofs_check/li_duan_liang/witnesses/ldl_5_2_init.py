"""Section 5.2: g_k is large at first. With K classes, orthonormal features, exchangeable tasks and
sigma_f = 1 it is a (1-a)^2/(K-1) at attention a; at a = 1/3 it should be at most c times that at
the start, a = 1/K."""

for K in (4, 4000):
    left, right = (a * (1 - a) ** 2 / (K - 1) for a in (1 / 3, 1 / K))
    print("K:", K, "left", left, "right", right, "ratio", left / right)
    assert left > right
