"""Proposition 2: q_{k,m} has a decreasing trend. One function, +-L/sqrt(2) on half of K = 4
features each, f(v_m) = f(v_k), L = 1."""

K, L, a = 4, 1, 1 / 2  # a: attention on the values of the other sign
error = 2**0.5 * L * a  # f(v_k) - yhat = f(v_m) - yhat
step = 1 / K * (1 - a) / (K / 2) * error**2
print("step of q_{k,m} over eta:", step)
assert step > 0
