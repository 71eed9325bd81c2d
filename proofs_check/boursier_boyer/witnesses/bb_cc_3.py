"""Corollary C.3: f = 0, d = 1, tokens 1 and -1 with probability 1/2 (sigma = 1), Uz = 0, L = 9, delta = 4/5; all 2^9 prompts."""
from itertools import product
from math import exp, sqrt

L, a2, delta, f = 9, 0, 4 / 5, lambda z: 0
C = 108 * exp(4 * a2) * sqrt((f(1) ** 4 + f(-1) ** 4) / 2)
errors = [abs(sum(f(z) for z in prompt) / L - (f(1) + f(-1)) / 2) ** 2 for prompt in product((1, -1), repeat=L)]
P = sum(e >= C / (delta * L) for e in errors) / 2**L
print("delta >= delta_0:", delta, ">=", 64 * exp(4 * a2) / L**2, "; probability", P, "<= delta =", delta)
assert delta >= 64 * exp(4 * a2) / L**2 and P > delta
