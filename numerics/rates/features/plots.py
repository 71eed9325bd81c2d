"""The plots of the report of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from numerics.pages.svg import Plot, dashed, figure, log_axis, stand_in
from numerics.rates.features.clocks import FAMILIES
from numerics.rates.features.printed import CLASSES, ratios
from numerics.rates.features.times import Time, spread
from theory import ReducedAttention

__all__ = ["Drawn", "draw"]

#: Colour and dashes of the families, of the ratios, and of the laws of the loss.
FAMILY_STYLES = dict(
    zip(FAMILIES, [("run-1", ""), ("run-2", ""), ("run-3", ""), ("run-4", ""), ("run-5", ""), ("run-6", ""), ("muted", "5 3")])
)
RATIOS = {
    "LDL:P2/time.upper": ("Proposition 2, time to the attention 1/2", "run-1", ""),
    "LDL:P3/rate": ("Proposition 3, rate in Phase II", "run-3", "5 3"),
    "LDL:P4/rate": ("Proposition 4, rate in Phase III", "run-4", "1.5 2"),
    "LDL:T1": ("Theorem 1, time to the loss eps^2", "run-2", ""),
    "LDL:T2": ("Theorem 2, time to the loss eps^2", "run-6", "8 3"),
}
PROMPTS = {None: ("N = ∞", "exact", ""), 64: ("N = 64", "paper", "5 3"), 256: ("N = 256", "theorem", "1.5 2")}


class Drawn(dict[str, tuple[Plot, str, str, list[tuple[str, str, str, str]]]]):
    """Each plot with its heading, what it shows, and its key: mark, colour, dashes and text."""


def _axes(ax: Any, x: Sequence[float], y: Sequence[float], label: str) -> None:
    """Logarithmic axes around the values."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    x_low, x_high, y_low, y_high = min(x), max(x), min(y), max(y)
    log_axis(ax.xaxis, x_low, x_high)
    log_axis(ax.yaxis, y_low, y_high)
    ax.set_xlim(x_low / 1.2, x_high * 1.2)
    ax.set_ylim(y_low / 2, y_high * 2)
    ax.set_xlabel(label)


def _lines(ax: Any, curves: Mapping[tuple[str, str], Sequence[tuple[float, float]]], label: str) -> None:
    """Curves by colour and dashes; a single point is a mark."""
    for (colour, dashes), points in curves.items():
        ordered = sorted(points)
        mark = "o" if len(ordered) <= 16 else ""
        ax.plot(*zip(*ordered), color=stand_in(colour), linestyle=dashed(dashes), marker=mark, ms=3.2)
    every = [point for points in curves.values() for point in points]
    _axes(ax, [x for x, _ in every], [y for _, y in every], label)


def draw(rows: Sequence[Time]) -> Drawn:
    """The plots of a table of times.

    Parameters
    ----------
    rows : sequence of Time
    """
    drawn = Drawn()

    def add(name: str, heading: str, says: str, curves: dict[str, tuple[str, str, list[tuple[float, float]]]], label: str) -> None:
        lines = {(colour, dashes): points for colour, dashes, points in curves.values()}
        plot = figure(name, f"{heading}. {says}", lambda ax: _lines(ax, lines, label), height=3.1)
        keys = [("line", colour, dashes, text) for text, (colour, dashes, _) in curves.items()]
        drawn[name] = (plot, heading, says, keys)

    base = [r for r in rows if (r.L, r.eta, r.N) == (1.0, 1.0, None) and r.features != "orthogonal of one norm" and r.event == "Attn >= 1/2"]
    most = max(r.K for r in base if r.family == "equiangular")
    halves = {
        family: (*style, [(float(r.K), r.steps) for r in base if r.family == family and (r.K <= most or family == "lattice")])
        for family, style in FAMILY_STYLES.items()
    }
    add(
        "classes",
        "Steps to the attention ½ over K",
        "The geometry of the features decides the exponent of K: 2, 1 or 0. One law in K, L and Δ fits them all nowhere.",
        {family: curve for family, curve in halves.items() if curve[2]},
        "number of classes K",
    )
    table = {K: ratios(K) for K in CLASSES}
    add(
        "ratios",
        "Exact over printed",
        "A law that is right up to constants would give a level line. Orthonormal features, δ = 1/(10K), ε = 1/K, L = 1/(Δδ).",
        {text: (c, d, [(float(K), table[K][row]) for K in CLASSES]) for row, (text, c, d) in RATIOS.items()},
        "number of classes K",
    )
    s2, K = spread(16, 1.0, 2**0.5), 16
    accuracies = np.geomspace(10, 1e4, 61)
    curves: dict[str, tuple[str, str, list[tuple[float, float]]]] = {}
    for N, (text, colour, dashes) in PROMPTS.items():
        reduced = ReducedAttention(K, 1.0, prompt_length=N)
        reached = [(x, reduced.loss_time(x**-2.0 / s2) / s2) for x in accuracies if x**-2.0 / s2 > 1.001 * reduced.floor]
        curves[text] = (colour, dashes, reached)
    curves["slope 1, of T_s^*"] = ("muted", "1.5 2", [(x, 30 * x) for x in accuracies])
    add(
        "accuracy",
        "Steps to the loss ε² over 1/ε",
        "K = 16, orthonormal. The exponent is 2; of T_f^* it is 0 and of T_s^* 1, up to logarithms. A curve of finite N ends at its floor.",
        {text: curve for text, curve in curves.items() if curve[2]},
        "1/ε",
    )
    lipschitz = np.geomspace(0.1, 100, 61)
    at = {}
    for eps, colour in ((1e-1, "run-3"), (1e-2, "run-1"), (1e-3, "run-4")):
        clock = ReducedAttention(K, 1.0)
        spreads = [spread(K, L, 2**0.5) for L in lipschitz]
        points = [(L, clock.loss_time(eps**2 / s) / (1e-6 * s)) for L, s in zip(lipschitz, spreads) if eps**2 / s < 0.45]
        at[f"ε = {eps:g}"] = (colour, "", points)
    add(
        "lipschitz",
        "Steps to the loss ε² over L",
        "K = 16, orthonormal, η = 10⁻⁶. No threshold in L: each curve is another, shifted along L, and becomes level, as late losses do not depend on L.",
        at,
        "Lipschitz constant L",
    )
    return drawn
