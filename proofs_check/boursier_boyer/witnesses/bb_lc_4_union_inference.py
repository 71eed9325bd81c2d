"""C.2, from the first to the third display: L = 1, tokens 1 and -1 with weights 1/2, 1/2 (sigma2 = 1), Uz = 1, f(z) = z."""
from math import tanh

L, Uz = 1, 1
t_0, RS2 = L * 1, tanh(Uz) ** 2  # E f^4 = 1
left = max(0, 2 * (1 + RS2) - t_0)  # of P(max |f|^2 >= t/2 - |R/S|^2) = 1_{t <= 2 + 2 |R/S|^2} from t_0 on
right = 2 * L * (1 - max(0, t_0 / 2 - RS2))  # of P(|f(z_1)|^2 >= t) = 1_{t <= 1} from (t_0/2 - |R/S|^2)_+ on
print(left, "<=", right)
assert left > right
