"""(4) with delta0 = Delta/5: K = 4 features at distance Delta, values L Delta times 1, 2, M, M + 1."""
from fractions import Fraction as F

K, L, Delta = 4, 2, F(3, 2)
delta0 = Delta / 5
for M in (4, 40, 400):
    f_1, f_3 = L * Delta, M * L * Delta
    print(delta0, f_1, f_3, float((f_3 - f_1) / (L * Delta)), "<= 1")
    assert f_3 - f_1 > L * Delta and 2 * delta0 < Delta
