"""
How many tokens does softmax attention need?
============================================

A layer of softmax attention reads L tokens z_1, ..., z_L ~ N(0, Gamma) and answers the query z. As
L grows its output tends to V Gamma U z: attention becomes linear. How fast? The paper bounds the
mean squared error by a constant times ln(L) / L (Lemma C.4); for Gaussian tokens the error is known
exactly, and Theorem A bounds it by e^s / (e^s + L - 1) (tr(V Gamma V') + |V Gamma U z|^2), where s
is the variance of the scores.

Run it with ``--small`` for a quick look; it writes ``concentration_rate.svg``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from numerics.attention.setting import AttentionSetting
from numerics.rates.measure import rates

small = "--small" in sys.argv

# %%
# Three dimensions, one direction with little variance, and a query that looks along two of them.
setting = AttentionSetting(
    Gamma=np.diag([1.0, 1.0, 0.1]),
    U=np.array([[0.6, 0.2, 0.0], [-0.2, 0.6, 0.0], [0.0, 0.0, 1.0]]),
    V=np.eye(3),
    query=np.array([1.0, 0.5, 0.0]),
    name="two directions of three",
)
print(f"scores have variance s = {setting.score_variance:.3f}")

# %%
# Measure by simulation; theory comes along, and every comparison says whether it holds.
lengths = np.unique(np.geomspace(10, 1000 if small else 100_000, 9).round().astype(int))
run = rates(setting, lengths.tolist(), replicates=1000 if small else 20_000, seed=1)
for comparison in run.comparisons:
    print("holds" if comparison.holds else "FAILS", comparison.name, "|", comparison.says)

# %% The exponent, with an interval that allows for the next-order term, and the naive straight line
# beside it.
output = run.series[0]
if output.fit is not None and output.pure is not None:
    print(
        "exponent {:.4f}, 95 % interval [{:.4f}, {:.4f}]".format(output.fit.exponent, *output.fit.interval())
    )
    print(
        "straight line {:.4f}, 95 % interval [{:.4f}, {:.4f}]".format(
            output.pure.exponent, *output.pure.interval()
        )
    )

# %%
# The picture.
figure = Figure(figsize=(6, 4), layout="constrained")
FigureCanvasSVG(figure)
axes = figure.subplots()
axes.errorbar(run.lengths, output.mean, 1.96 * output.standard_error, fmt="k.", label="measured")
axes.plot(run.lengths, output.exact, label="exact")
for bound in output.bounds:
    axes.plot(run.lengths, bound.values, "--", label=bound.name)
axes.set(
    xscale="log",
    yscale="log",
    xlabel="prompt length L",
    ylabel="mean squared error",
    title="Output of softmax attention",
)
axes.legend()
figure.savefig("concentration_rate.svg")

sys.exit(0 if run.holds else 1)
