"""
Where does training end, and how does it get there?
===================================================

Gradient flow for in-context linear regression with infinite prompts ends at parameters that are
known in closed form (Remark 5.3 of Boursier & Boyer): the query-key block becomes a multiple gamma
of the inverse covariance. The picture integrates the flow from U = I and u = 1, which knows nothing
of that formula, and draws the limit beside it.

Run it with ``--small`` for a quick look; it writes ``limit_of_training.svg``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

import numerics
import theory

small = "--small" in sys.argv
Sigma = np.diag([1.0, 2.0] if small else [0.5, 1.0, 2.0])
d = len(Sigma)

# %%
# The flow, and its limit from the formula for the same start.
flow = numerics.integrate_flow(Sigma, np.eye(d), 1.0)
limit = theory.limit_parameters(Sigma, U0=np.eye(d), u0=1.0)
print(f"gamma = {limit.gamma:.6f}; the flow has converged: {flow.converged}")
print(f"largest distance of U from the formula: {abs(flow.U[-1] - limit.U[:d, :d]).max():.1e}")

# %%
# The picture: the diagonal of U and the value u over time.
figure = Figure(figsize=(6.4, 4), layout="constrained")
FigureCanvasSVG(figure)
axes = figure.subplots()
for i in range(d):
    (line,) = axes.plot(flow.t, flow.U[:, i, i], label=f"U for variance {Sigma[i, i]:g}")
    axes.axhline(limit.U[i, i], color=line.get_color(), linestyle=":")
axes.plot(flow.t, flow.u, "k", label="u")
axes.axhline(1 / limit.gamma, color="k", linestyle=":")
axes.set(xlim=(0, flow.t[-1]), xlabel="time", title="Training (lines) and its limit (dotted)")
axes.legend()
figure.savefig("limit_of_training.svg")
