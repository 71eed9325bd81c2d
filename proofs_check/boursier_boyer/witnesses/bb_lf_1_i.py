"""Lemma F.1 (i): d = 1, Sigma = 1, w = 1, so that a token is z = (x, x), x ~ N(0, 1); at v = (1, 1)."""
import sympy as sp

x, Sigma, w = sp.Symbol("x", real=True), 1, 1
sigma2 = max(1, Sigma, w**2)  # the printed max(|Sigma|_op, |w|^2), raised to 1 as the text says
power = sp.expand(x + w * x - x**2 / 2 + (x - 1 - w) ** 2 / 2)  # E e^{v.z} is the mean of e^power over N(1 + w, 1), and no x is left
mgf = sp.exp(power) * sp.integrate(sp.exp(-(x**2) / 2), (x, -sp.oo, sp.oo)) / sp.sqrt(2 * sp.pi)
bound = sp.exp(sp.Rational(sigma2 * 2, 2))  # exp(sigma^2 |v|^2 / 2) with |v|^2 = 2
print("E e^{v.z} =", mgf, "<=", bound)
assert mgf > bound
