"""F.3, item 3: d = 1, Lambda = 1/5, Theta = 1, sigma = 1, at t = 0, where U_11 = u_{-1} = sigma; the least risk is 0."""
import sympy as sp

U, u, Lambda, sigma = sp.symbols("U u Lambda sigma")
risk = Lambda / 2 * (u * Lambda * U - 1) ** 2
mu = sigma**2 / (sp.sqrt(1) * Lambda * (1 / Lambda) ** 2 * (1 / Lambda))
ratio = (sp.diff(risk, U) ** 2 + sp.diff(risk, u) ** 2) / risk
ratio, mu = (x.subs({U: 1, u: 1, sigma: 1, Lambda: sp.Rational(1, 5)}) for x in (ratio, mu))
print("|gradient|^2 / risk =", ratio, " >= mu =", mu)
assert ratio < mu
