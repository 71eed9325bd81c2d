"""C.3, Term 2, last sentence: E|g|^2 = 2, c1 = c2 = sigma = p = 1, L = 1; the factor E|g|^2 is lost."""

c1, c2, sigma, p, L, g2 = 1, 1, 1, 1, 1, 2
left = 5 * c1 * sigma ** (2 * p) * g2 * L**1.5 * (c2 / sigma**2 * L ** (1 / p)) ** (-2 * p)
right = 5 * c1 * c2 ** (-2 * p) * sigma ** (6 * p) * L**-0.5
print(left, "<=", right)
assert left > right
