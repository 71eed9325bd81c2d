"""
How many more tokens does softmax attention need than linear attention?
=======================================================================

On a prompt without end softmax and linear attention with the same weights are the same map. On L
tokens both are off, and the picture shows by how much: d = 5, covariates N(0, c I), no label noise,
and the weights at which training on infinite prompts ends (Remark 5.3 of Boursier & Boyer). The
risk of linear attention is then (d + 1)/L times that of predicting 0, whatever c is.

That of softmax attention depends on how far its scores spread, by lam = c/sqrt(d). For lam below
1/2 it falls like 1/L in the end, with a constant that grows beyond all bounds as lam comes near
1/2. From there on L times the risk is not bounded: no fixed multiple of the tokens is enough. All
risks are exact; no prompt is drawn.

Run it with ``--small`` for a quick look; it writes ``softmax_versus_linear.svg``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

import numerics
import theory
from theory.regression.valley import linear_excess, valley_excess

small = "--small" in sys.argv
d = 5
lengths = np.geomspace(10, 10**8, 8 if small else 57).round()

figure = Figure(figsize=(9, 4), layout="constrained")
FigureCanvasSVG(figure)
errors, tokens = figure.subplots(1, 2)

# %%
# The risk of predicting 0 is c d / 2.
for c, color in ((0.2, "C0"), (0.8, "C1"), (2.0, "C2")):
    task = theory.RegressionTask(c * np.eye(d), noise=0.0, task_variance=1.0)
    limit = theory.limit_parameters(task.Sigma)
    U, u = limit.U[:d, :d], limit.V[d, d]
    softmax, linear = (
        np.array([numerics.exact_risk(U, u, task, L, attention=kind).risk for L in lengths]) / (c * d / 2)
        for kind in ("softmax", "linear")
    )
    # How many tokens bring softmax attention to the risk that linear attention has on L.
    reached = linear > softmax[-1]
    ratio = np.exp(np.interp(-np.log(linear[reached]), -np.log(softmax), np.log(lengths))) / lengths[reached]
    lam = u**-2
    print(
        f"lam = {lam:.2f}: {ratio[-1]:.3g} times the tokens where linear attention has "
        f"{lengths[reached][-1]:.0f}",
        end="; ",
    )
    errors.plot(lengths, softmax, color, label=f"softmax, lam = {lam:.2f}")
    tokens.plot(lengths[reached], ratio, color, label=f"lam = {lam:.2f}")
    if lam < 0.5:
        end = valley_excess(lam, trace=c * d, d=d) / linear_excess(trace=c * d, d=d)
        tokens.axhline(end, color=color, linestyle=":")
        print(f"this tends to {end:.3g}")
    else:
        print("this is not bounded")
errors.plot(lengths, linear, "k--", label="linear, every lam")

# %%
# The picture. Dotted lines are the limits of the ratios.
errors.set(
    xscale="log",
    yscale="log",
    xlabel="prompt length L",
    ylabel="risk / risk of predicting 0",
    title="The same weights",
)
tokens.set(
    xscale="log", yscale="log", xlabel="tokens of linear attention", ylabel="times as many for softmax"
)
tokens.set_title("Tokens for the same risk")
for axes in (errors, tokens):
    axes.legend(fontsize="small")
figure.savefig("softmax_versus_linear.svg")
