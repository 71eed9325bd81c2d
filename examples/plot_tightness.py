"""
How much does each bound give away?
===================================

A bound is tight where its ratio to the exact error is near 1. For tokens N(0, I_2) and queries of
three sizes the picture divides Theorem A (ours) and Lemma C.4 of Boursier & Boyer, with its printed
constants, by the exact mean squared error. Theorem A becomes exact for long prompts. Lemma C.4,
which serves every sub-Gaussian law, gives away a factor that grows with the variance s of the
scores.

Run it with ``--small`` for a quick look; it writes ``tightness.svg``.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

import numerics
import theory

small = "--small" in sys.argv
lengths = np.unique(np.geomspace(2, 10**6, 5 if small else 31).round())
d, trace, fourth_moment = 2, 2.0, 8.0  # tr(V Gamma V') and E|V z|^4 for V = Gamma = I

# %%
# The picture: bound over exact error, for |U z|^2 = s.
figure = Figure(figsize=(6.4, 4), layout="constrained")
FigureCanvasSVG(figure)
axes = figure.subplots()
for colour, s in zip(("C0", "C1", "C2"), (0.25, 1.0, 2.25)):
    exact = numerics.exact_errors(np.eye(d), np.eye(d), np.eye(d), lengths, query=[math.sqrt(s), 0.0]).output
    ours = np.array([float(theory.theorem_A(s, L, trace, s)) for L in lengths]) / exact
    printed = (
        np.array([float(theory.lemma_c4(L, s, math.sqrt(fourth_moment), 1.0, 1.0, d)) for L in lengths])
        / exact
    )
    axes.plot(lengths, ours, color=colour, label=f"Theorem A, s = {s}")
    axes.plot(lengths, printed, "--", color=colour, label=f"Lemma C.4, s = {s}")
    print(
        f"s = {s}: at L = {lengths[-1]:.0f} Theorem A gives away {ours[-1]:.4f}, Lemma C.4 {printed[-1]:.3g}"
    )
axes.set(
    xscale="log",
    yscale="log",
    xlabel="prompt length L",
    ylabel="bound over exact error",
    title="What bounds give away",
)
axes.legend(fontsize="small")
figure.savefig("tightness.svg")
