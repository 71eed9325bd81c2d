"""Appendix C: the product of the gradient with v_1 on both sides, and what is printed for it."""
from fractions import Fraction as F

x, y, f = F(1, 2), 1, 2  # features (1, 0), (x, y), values f and 0, p = 1/2, Q = 0
G, e = [[1, x], [x, x**2 + y**2]], [F(f, 2), -F(f, 2)]
H = [[F(1, 2) * F(1, 2) * e[k] * e[m] for k in range(2)] for m in range(2)]  # -dL/dq_(k,m)
left = -sum(G[0][m] * H[m][k] * G[k][0] for m in range(2) for k in range(2))
right = -sum(G[0][m] * H[m][0] for m in range(2))
print(left, "=", right, "; right minus left", right - left)
assert left != right
