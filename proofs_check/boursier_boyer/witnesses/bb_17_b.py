"""(17): B = sqrt(ln(L)/6)/(sigma |U|) with U = 0, L = 2, sigma = 1; no B whatever has sigma^2 |U|^2 B^2 = ln(L)/6."""

from math import log

L, sigma, U = 2, 1, 0
factor = sigma**2 * U**2
print(factor, "* B^2 =", log(L) / 6)
assert factor == 0 < log(L) / 6
