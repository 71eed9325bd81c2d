"""
Does the law of the tokens matter?
==================================

Gaussian tokens, random signs and tokens on a sphere can have the same covariance. Softmax attention
tends to an infinite-prompt limit for each of them, though only for Gaussian tokens is the limit
linear attention. The mean squared distance from that limit is computed exactly for every prompt
length: in the end it falls like 1/L in each case. It is the largest for Gaussian tokens, the only
ones here whose scores have no bound; signs and sphere nearly agree at this query.

Run it with ``--small`` for a quick look; it writes ``token_laws.svg``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

import numerics
from numerics import token_laws

small = "--small" in sys.argv
d, query = 3, [1.0, 1.0, 0.0]
lengths = np.unique(np.geomspace(1, 10**4, 5 if small else 25).round())

# %%
# Three laws with the covariance I. A point on the sphere of radius sqrt(d) has it too.
laws = {
    "Gaussian": token_laws.gaussian(np.eye(d)),
    "random signs": token_laws.rademacher(d),
    "sphere of radius √3": token_laws.sphere(d),
}

# %%
# The picture.
figure = Figure(figsize=(6.4, 4), layout="constrained")
FigureCanvasSVG(figure)
axes = figure.subplots()
for (name, law), style in zip(laws.items(), ("o-", "s-", "k--")):
    error = numerics.exact_errors(law, np.eye(d), np.eye(d), lengths, query=query).output
    axes.plot(lengths, error, style, markersize=3, label=name)
    print(f"{name}: L times the error at L = {lengths[-1]:.0f} is {lengths[-1] * error[-1]:.3f}")
axes.set(
    xscale="log",
    yscale="log",
    xlabel="prompt length L",
    ylabel="mean squared error",
    title="Distance from the limit",
)
axes.legend()
figure.savefig("token_laws.svg")
