"""
How far is softmax attention from its limit, and what do the bounds say?
========================================================================

A layer of softmax attention reads L tokens z_1, ..., z_L ~ N(0, I_2) and answers one query z with
|Uz| = 1. As L grows its output tends to that of linear attention, V Gamma U z. For Gaussian tokens
the mean squared distance is known exactly for every L. The picture lays two upper bounds beside it:
Theorem A, which is proved here for Gaussian tokens, and Lemma C.4 of Boursier & Boyer, which holds
for every sub-Gaussian law, with the constants that are printed there.

Run it with ``--small`` for a quick look; it writes ``error_and_bounds.svg``. Run in the folder
``docs`` without it, it makes the picture in the README again.
"""

from __future__ import annotations

import math
import sys

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

import numerics
from theory.attention.gaussian_errors import theorem_A
from theory.bounds.concentration import lemma_c4

small = "--small" in sys.argv

# %%
# Every matrix is the identity and the query has length one: the scores have variance s = 1, and
# t = tr(V Gamma V') = 2, q = |V Gamma U z|^2 = 1.
Gamma = U = V = np.eye(2)
query = np.array([1.0, 0.0])
s, t, q = 1.0, 2.0, 1.0
fourth_moment = 8.0  # E|Vz|^4
sigma2, C_f, d = 1.0, 1.0, 2  # tokens are 1-sub-Gaussian and |Vz| <= C_f |z|


def error(L: float) -> float:
    return float(numerics.exact_errors(Gamma, U, V, [L], query=query).output[0])


def ours(L: float) -> float:
    return float(theorem_A(s, L, t, q))


def printed(L: float) -> float:
    return float(lemma_c4(L, s, math.sqrt(fourth_moment), sigma2, C_f, d))


# %%
# How many tokens each of them asks for until the error is below one hundredth.
for name, curve in (("exact error", error), ("Theorem A", ours), ("Lemma C.4", printed)):
    few, many = 2, 10**12
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if curve(middle) < 0.01 else (middle, many)
    print(f"{name}: below 0.01 from L = {many} on")

# %%
# The picture. Lemma C.4 is false at L = 1, where its first term contains ln 1 = 0, so that its
# curve begins at L = 2.
lengths = np.unique(np.geomspace(1, 10**6, 7 if small else 61).round())
with mpl.rc_context(
    {"svg.fonttype": "none", "svg.hashsalt": "error_and_bounds", "path.simplify": False, "font.size": 14}
):
    figure = Figure(figsize=(6.4, 3.8))
    FigureCanvasSVG(figure)
    axes = figure.add_axes((0.12, 0.16, 0.85, 0.75))
    for name, curve, first, style, place in (
        ("Lemma C.4, as printed", printed, 2, {"color": "#b04a10", "linewidth": 2}, (2000, 800)),
        ("exact error (broad)", error, 1, {"color": "#1f6fb4", "linewidth": 6, "alpha": 0.45}, (1.6, 3e-3)),
        ("Theorem A (dashed)", ours, 1, {"color": "#0f5c3c", "linewidth": 1.8, "linestyle": "--"}, (30, 0.7)),
    ):
        L = lengths[lengths >= first]
        axes.plot(L, [curve(x) for x in L], gid=name, **style)
        axes.text(*place, name, color=style["color"])
    axes.set(xscale="log", yscale="log", xlim=(1, 10**6), xlabel="prompt length L")
    axes.set_title("mean squared distance from the limit", loc="left", fontsize=14)
    axes.minorticks_off()
    axes.grid(color="#e3e4e2")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig("error_and_bounds.svg", metadata={"Date": None})
