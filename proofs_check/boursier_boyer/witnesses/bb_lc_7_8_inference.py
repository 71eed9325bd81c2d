"""C.4, from the first display to the union bound: L = 1, tokens 1, -1 with weights 1/2, 1/2 (sigma2 = 1), Uz = 1, f(z) = z."""
from math import tanh

L, Uz = 1, 1
t_0, RS4 = L * 1, tanh(Uz) ** 4  # E f^4 = 1
left = max(0, 8 * (1 + RS4) - t_0)  # of P(max |f|^4 >= t/8 - |R/S|^4) = 1_{t <= 8 + 8 |R/S|^4} from t_0 on
right = 8 * L * (1 - max(0, t_0 / 8 - RS4))  # of P(|f(z_1)|^4 >= t) = 1_{t <= 1} from (t_0/8 - |R/S|^4)_+ on
print(left, "<=", right)
assert left > right
