"""(17): B = sqrt(ln(L)/6)/(sigma |U|) with U = 0, L = 2, sigma = 1; no B whatever has sigma^2 |U|^2 B^2 = ln(L)/6."""

from math import log

L, sigma, U = 2, 1, 0
for B in (0, 1, 1e9):
    print(sigma**2 * U**2 * B**2, "=", log(L) / 6)
    assert sigma**2 * U**2 * B**2 != log(L) / 6
