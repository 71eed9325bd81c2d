"""C.5, Term 2, last sentence: E|g|^4 = 2, c1 = c2 = sigma = 1, L = 1; the bound before it is lost by the factor 2."""

c1, c2, sigma, L, g4 = 1, 1, 1, 1, 2
left = 5 * c1 * sigma**4 * g4 * L**1.5 * (c2 / sigma**2 * L**0.5) ** -4
right = 5 * c1 * c2**-4 * sigma**12 * L**-0.5
print(left, "<=", right)
assert left > right
