"""Proof of Lemma 2: the update of q_1 at Q = 0 for features (1, 0), (x, y), values f and 0, p = 1/2."""
from sympy import Matrix, Rational, exp, symbols, zeros
x, y, f = Rational(1, 2), 1, 2
V, values, Q = Matrix([[1, x], [0, y]]), [f, 0], Matrix(2, 2, symbols("a:4"))
w = [[exp((V[:, m].T * Q * V[:, k])[0]) for m in range(2)] for k in range(2)]
loss = sum((f * w[k][0] / (w[k][0] + w[k][1]) - values[k]) ** 2 for k in range(2)) / 4
start = dict(zip(Q, zeros(2)))
left = -(V[:, 0].T * Matrix(2, 2, lambda i, j: loss.diff(Q[i, j]).subs(start)) * V[:, 0])[0]
right = Rational(1, 2) * Rational(1, 2) * Rational(f - 0, 2) ** 2  # p_1 Attn_1 (f_1 - yhat)^2
print(left, "=", right, "; left minus right", left - right); assert left != right
