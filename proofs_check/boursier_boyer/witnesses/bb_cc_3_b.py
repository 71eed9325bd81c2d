"""Corollary C.3, proof: delta = 2/3 is admitted, and Lemma C.1 is used at delta/4 < delta_min. L = 10, Uz = 0."""
from math import exp

L, a2, delta = 10, 0, 2 / 3
delta_0, delta_min = 64 * exp(4 * a2) / L**2, exp(-L / 8 * exp(-2 * a2))
print("delta_0 =", delta_0, "<= delta = 2/3, and delta/4 =", delta / 4, ">= delta_min =", delta_min)
assert delta_0 <= delta < 1 and delta / 4 < delta_min
