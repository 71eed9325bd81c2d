import numpy as np; Gamma, S, U, V, sigma, d = 1 / 2, 1, 1, 1, 1, 1  # tokens N(0, 1/2) and queries N(0, 1): both are 1-sub-Gaussian
g, v = 0.2 * np.arange(-125, 126), 0.4 * np.arange(-600, 45); p, r = np.exp(-(g**2) / 2) * 0.2 / (2 * np.pi) ** 0.5, np.exp(v)[:, None]
def errors(cases):  # the means over z, tokens and prompts of |T_L(z) - T(z)|^2; 1/X^2 is the integral of r exp(-r X), and v = ln r
    total = np.zeros(len(cases))
    for z in np.arange(0.05, 13, 0.1):
        x, w = Gamma**0.5 * g, np.exp(U * z * z); e, off = r * np.exp(U * z * x), x - Gamma * U * z  # tokens, weight of the query
        a, b, c = [(f * p).sum(1) for f in (-np.expm1(-e), off * e * np.exp(-e), (off * e) ** 2 * np.exp(-e))]; o = z - Gamma * U * z
        total += [2 * 0.1 * np.exp(-z * z / 2) / (2 * np.pi) ** 0.5 * 0.4 * (np.exp(-q) * np.exp(L * np.log1p(-np.minimum(a, 1 - 1e-16))) * (L * c + L * (L - 1) * b**2 + 2 * L * q * o * b + (q * o) ** 2)).sum() for L, q in ((L, inside * w * np.exp(v)) for L, inside in cases)]
    return total
a, b, c, e = map(float, errors([(L, inside) for L in (1e10, 1e20) for inside in (1, 0)])); print("1e10:", a, b, " 1e20, with and without:", c, e, "slope of the ratio:", np.log(c / e * b / a) / np.log(1e10)); assert c / e > 100 * a / b
