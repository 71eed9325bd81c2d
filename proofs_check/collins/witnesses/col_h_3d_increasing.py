"""q(x) = e^(cx) (1 + cx - c) at c = 2 is larger at x = -1 than at x = 0."""
from math import exp

c = 2
q = lambda x: exp(c * x) * (1 + c * x - c)
print(q(-1), "<=", q(0))
assert q(-1) > q(0)
