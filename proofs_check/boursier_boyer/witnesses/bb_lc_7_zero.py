"""Lemma C.7: C_f = 0 is admitted (then f = 0), and the divisor of the exponent is 0. sigma2 = 1."""
sigma2, C_f = 1, 0
divisor = 16 * sigma2 * C_f**2
print("divisor 16 sigma^2 C_f^2 =", divisor, "!= 0")
assert divisor == 0
