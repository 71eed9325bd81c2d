"""
What does training end with, and when?
======================================

Figure 2 of the paper, without sampling: Appendix A.1 (d = 5, Sigma = I, w ~ N(0, I/d), label noise
0.1), softmax attention, linear attention and the best predictor of all (ridge regression), up to a
million tokens. The paper finds that linear attention beats softmax and that the gap narrows. It
does, but the two excess risks stay apart by a factor: both fall like 1/L.

The second picture is what trained softmax attention looks like. For a long prompt every point of
the line u Sigma U = I is nearly optimal, and the flow creeps along that line for a time of order L
to the point lam = 1/u^2 = lam* at which the excess is least (so it is in every case integrated; a
proof is missing), not to the end of the infinite-prompt flow. At the time at which the paper stops
(500 000 steps of 1e-3) it is on the way.

Run it with ``--small`` for a quick look; it writes ``trained_risk.svg``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from numerics.regression.flow.end_point import trained
from numerics.regression.risk.bayes import bayes_risk
from theory.regression.experiment import TASK
from theory.regression.valley import best_score_variance, linear_excess, valley_excess

small = "--small" in sys.argv
d, noise, task_variance, stop = TASK.d, TASK.noise, TASK.task_variance, 500.0
law = {"trace": 5.0, "d": 5, "noise": TASK.noise_ratio}
lengths = [int(L) for L in (np.geomspace(10, 1000, 2) if small else np.geomspace(10, 10**6, 21)).round()]

# %% The least risk (the limit of the flow), its point at the time when the paper stops, and the
# best predictor.
limit = [trained(TASK, L) for L in lengths]
stopped = [trained(TASK, L, time=stop) for L in lengths]
linear = [trained(TASK, L, attention="linear") for L in lengths]
bayes = [bayes_risk(TASK, L) for L in lengths]
for L, soft, now, lin, best in zip(lengths, limit, stopped, linear, bayes):
    excess = [end.risk - noise / 2 for end in (soft, now, lin)] + [best.value - noise / 2]
    print(
        f"L = {L:7d}: excess {excess[0]:.3e} (at t = 500 {excess[1]:.3e}), linear {excess[2]:.3e}, "
        f"Bayes {excess[3]:.3e}",
        end="; ",
    )
    print(f"(c, u) = ({soft.U11[0, 0]:.4f}, {soft.u:.4f}), at t = 500 ({now.U11[0, 0]:.4f}, {now.u:.4f})")

# %%
# To first order in 1/L.
lam = best_score_variance(**law)
constants = [valley_excess(lam, **law), linear_excess(**law), d * law["noise"]]
print(
    "L times the excess tends to",
    *(f"{task_variance * c / 2:.4g}" for c in constants),
    "(softmax, linear, Bayes)",
)
print(f"lam* = {lam:.4f}; the flow of the infinite prompt ends at {d**-0.5:.4f}")

# %%
# The pictures.
figure = Figure(figsize=(9, 4), layout="constrained")
FigureCanvasSVG(figure)
risks, points = figure.subplots(1, 2)
for values, style, label, constant in (
    ([end.risk for end in limit], "C0o-", "softmax", constants[0]),
    ([end.risk for end in linear], "C1s-", "linear", constants[1]),
    ([end.value for end in bayes], "C2^-", "best predictor", constants[2]),
):
    risks.plot(lengths, np.array(values) - noise / 2, style, markersize=3, label=label)
    risks.plot(
        lengths,
        task_variance * constant / 2 / np.array(lengths),
        style[:2] + ":",
        linewidth=0.8,
        markersize=0,
    )
risks.plot(lengths, [end.risk - noise / 2 for end in stopped], "C0--", label="softmax at t = 500")
risks.set(
    xscale="log",
    yscale="log",
    xlabel="prompt length L",
    ylabel="risk less label noise",
    title="After training",
)
points.plot(lengths, [end.u**-2 for end in limit], "C0o-", markersize=3, label="limit")
points.plot(lengths, [end.u**-2 for end in stopped], "C0--", label="at t = 500")
points.axhline(lam, color="0.5", linewidth=0.8, label="lam*")
points.axhline(d**-0.5, color="0.5", linestyle=":", linewidth=0.8, label="infinite prompt")
points.set(
    xscale="log", yscale="log", xlabel="prompt length L", ylabel="1/u²", title="Where softmax attention is"
)
for axes in (risks, points):
    axes.legend(fontsize="small")
figure.savefig("trained_risk.svg")
