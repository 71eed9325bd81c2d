"""
A law of one's own
==================

Theory asks little of the tokens: that they are sub-Gaussian, E exp(v.Z) <= exp(sigma^2 |v|^2 / 2)
for every v. Here is a law that the library does not know, tokens with independent triangular
coordinates on [-1, 1]: made in ten lines, asked whether its sigma is honest, and put through
softmax attention, by Monte Carlo and exactly.

Run it with ``--small`` for a quick look.
"""

from __future__ import annotations

import dataclasses
import sys

import numpy as np

from numerics import TokenLaw, attention_errors, check_variance_proxy, exact_errors

small = "--small" in sys.argv

# %% The law. A triangular variable is the sum of two uniform ones on [-1/2, 1/2], and sinh(a/2) /
# (a/2) is a sinc at imaginary arguments: log_mgf is called with complex a too.
triangular = TokenLaw(
    name="triangular",
    d=2,
    sigma=6**-0.5,
    sample=lambda rng, n: rng.triangular(-1, 0, 1, (n, 2)),
    log_mgf=lambda a: 2 * np.log(np.sinc(0.5j * a / np.pi)).sum(-1),
)

# %%
# Is sigma honest? And would two per cent less be?
honest = check_variance_proxy(triangular)
bolder = check_variance_proxy(dataclasses.replace(triangular, sigma=0.98 * triangular.sigma))
print(f"sigma = {triangular.sigma:.4f}: {honest.verdict}, {honest.covered}")
print(
    f"sigma = {0.98 * triangular.sigma:.4f}: {bolder.verdict}, v = ({bolder.witness['v_1']:.3f}, "
    f"{bolder.witness['v_2']:.3f})"
)

# %% How far is attention on L such tokens from the infinite prompt? Two routes that share nothing
# but the law.
U, V, query = np.array([[2.0, 1.0], [0.0, 2.0]]), np.eye(2), [1.0, 1.0]
lengths = [10, 100, 1000]
measured = attention_errors(
    triangular, U, V, query, lengths, replicates=500 if small else 20_000, seed=1, method="tokens"
)
exact = exact_errors(triangular, U, V, lengths, query=query)
gaps = (measured.output.mean - exact.output) / measured.output.standard_error
for L, mean, error, value in zip(lengths, measured.output.mean, measured.output.standard_error, exact.output):
    print(f"L = {L:4d}: measured {mean:.4e} +- {error:.1e}, exact {value:.4e}")

sys.exit(0 if honest.verdict.accepted and not bolder.verdict.accepted and np.abs(gaps).max() < 5 else 1)
