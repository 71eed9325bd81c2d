"""k = 3, c = 1, alpha = (1, 1/2): N by quadrature over u_i'u on [-1, 1], and what (59) adds."""
from math import exp
from scipy.integrate import dblquad, quad

k, c, alpha_1, alpha_2, p = 3, 1, 1, 1 / 2, 1 / 2
d = lambda a, b: exp(c * a) * alpha_1 + exp(c * b) * alpha_2
h = lambda a, b: exp(c * (a + b)) * (exp(c * a) * alpha_1 - exp(c * b) * alpha_2) / d(a, b) ** 3
N, added = dblquad(h, -1, 1, -1, 1)[0] * p**2, quad(lambda a: h(a, a) * p**2, -1, 1)[0]
print(N, "=", N + added, "difference", added, "2/27")
assert added > 0.05
