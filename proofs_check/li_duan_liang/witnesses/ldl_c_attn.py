"""Appendix C: the derivative of the attention in Q has d^2 entries, and the printed expression is a number."""
import numpy as np

d = 2
column, query = np.ones((d, 1)), np.ones((d, 1))
print((column @ query.T).size, "=", (column.T @ query).size, "; difference", d**2 - 1)
assert (column @ query.T).size != (column.T @ query).size
