"""C.2, after the second display: d = 1, L = 1, z_1 = 1, f(z) = 2z: the average is f(z_1), the hull of the tokens is {1}."""
d, L, tokens = 1, 1, [1]
average = sum(2 * z for z in tokens) / L
print("R_L/S_L =", average, "<= largest point of the hull =", max(tokens))
assert average > max(tokens)
