"""
How wide is the best attention window?
======================================

Attention that averages the labels of n tokens on a sphere with weights e^{-w r^2}, r the distance
to the query, looks through a window: the larger w, the fewer neighbours count. Many neighbours
average the noise of the labels away, few of them follow the task. Collins et al. ask which w is
best. Here the loss is computed exactly, for ReLU tasks in five dimensions with label noise 0.01.

Run it with ``--small`` for a quick look; it writes ``best_window.svg``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

import numerics
import theory

small = "--small" in sys.argv
tasks, d, noise = theory.relu(1), 5, 0.01
widths = np.geomspace(0.05, 50, 9 if small else 41)

# %%
# The loss at every w, and the w at which it is least.
figure = Figure(figsize=(6.4, 4), layout="constrained")
FigureCanvasSVG(figure)
axes = figure.subplots()
for n in (20, 80) if small else (20, 80, 320, 1280):
    best = numerics.optimal_window(tasks, d, n, noise)
    (line,) = axes.plot(widths, numerics.window_loss(tasks, d, n, widths, noise).loss, label=f"n = {n}")
    axes.plot(best.w, best.loss, "o", color=line.get_color())
    print(f"n = {n}: the best w is {best.w:.3f}, with the loss {best.loss:.5f}")

# %%
# The picture.
axes.set(
    xscale="log",
    yscale="log",
    xlabel="w (a larger w is a narrower window)",
    ylabel="in-context loss",
    title="More tokens, narrower window",
)
axes.legend()
figure.savefig("best_window.svg")
