"""The plots of the report of times."""

from __future__ import annotations

import numpy as np

from proofs_check.reports.rates.features.learning_times import FAMILIES
from proofs_check.reports.rates.features.printed import CLASSES, ratios
from proofs_check.reports.rates.features.times import VARIED_K, Table, spread
from proofs_check.reports.rates.lines.pictures import Curve, Picture, picture
from theory.regression.features.reduced import ReducedAttention

__all__ = ["draw"]

#: Colour and dashes of the families, of the ratios, and of the lengths of prompts.
FAMILY_STYLES = dict(
    zip(
        FAMILIES,
        [
            ("run-1", ""),
            ("run-2", ""),
            ("run-3", ""),
            ("run-4", ""),
            ("run-5", ""),
            ("run-6", ""),
            ("muted", "5 3"),
        ],
    )
)
RATIOS = {
    "LDL:P2/time.upper": ("Proposition 2, time to the attention 1/2", "run-1", ""),
    "LDL:P3/rate": ("Proposition 3, rate in Phase II", "run-3", "5 3"),
    "LDL:P4/rate": ("Proposition 4, rate in Phase III", "run-4", "1.5 2"),
    "LDL:T1": ("Theorem 1, time to the loss eps^2", "run-2", ""),
    "LDL:T2": ("Theorem 2, time to the loss eps^2", "run-6", "8 3"),
}
PROMPTS = {None: ("N = ∞", "run-1", ""), 256: ("N = 256", "run-3", "5 3"), 64: ("N = 64", "run-2", "")}
LOSSES = {1e-1: ("ε = 0.1", "run-3"), 1e-2: ("ε = 0.01", "run-1"), 1e-3: ("ε = 0.001", "run-4")}


def draw(table: Table) -> list[Picture]:
    """The plots of a table of times."""
    return [_ratios(), _classes(table), _accuracy(), _lipschitz()]


def _classes(table: Table) -> Picture:
    """The time to one half by number of classes, for every family."""
    half = [row for row in table.near if row.event == "Attn >= 1/2"]
    return picture(
        "classes",
        "Steps to the attention ½ over K",
        "The geometry of the features decides the exponent of K: 2, 1 or 0. No law in K, L and Δ alone fits "
        "them all.",
        [
            Curve(name, *style, [(row.K, row.steps) for row in half if row.family == name])
            for name, style in FAMILY_STYLES.items()
        ],
        "number of classes K",
    )


def _ratios() -> Picture:
    found = {K: ratios(K) for K in CLASSES}
    return picture(
        "ratios",
        "Exact over printed",
        "A law that is right up to constants would give a level line. Orthonormal features, δ = 1/(10K), ε = "
        "1/K, L = 1/(Δδ).",
        [Curve(*style, [(K, found[K][row]) for K in CLASSES]) for row, style in RATIOS.items()],
        "number of classes K",
    )


def _accuracy() -> Picture:
    """The time to a loss by accuracy, for some lengths of prompts, beside the slope of T_s^*."""
    s2, over = spread(VARIED_K, 1.0, 2**0.5), np.geomspace(10, 1e4, 61)
    curves = []
    for N, style in PROMPTS.items():
        reduced = ReducedAttention(VARIED_K, 1.0, prompt_length=N)
        # A loss this near to the floor takes longer than the axis is high.
        reached = [x for x in over if x**-2.0 / s2 > 1.001 * reduced.floor]
        curves.append(Curve(*style, [(x, reduced.loss_time(x**-2.0 / s2) / s2) for x in reached]))
    return picture(
        "accuracy",
        "Steps to the loss ε² over 1/ε",
        f"K = {VARIED_K}, orthonormal. The exponent is 2; of T_f^* it is 0 and of T_s^* 1, up to logarithms. "
        "A curve of finite N ends at its floor.",
        [*curves, Curve("the slope 1 of T_s^*", "muted", "1.5 2", [(x, 30 * x) for x in over])],
        "1/ε",
    )


def _lipschitz() -> Picture:
    """The time to a loss by Lipschitz constant."""
    clock, curves = ReducedAttention(VARIED_K, 1.0), []
    spreads = [(L, spread(VARIED_K, L, 2**0.5)) for L in np.geomspace(0.1, 100, 61)]
    for eps, (text, colour) in LOSSES.items():
        # Below, the loss is hardly more than eps^2 at the start.
        points = [(L, clock.loss_time(eps**2 / s2) / (1e-6 * s2)) for L, s2 in spreads if eps**2 / s2 < 0.45]
        curves.append(Curve(text, colour, "", points))
    return picture(
        "lipschitz",
        "Steps to the loss ε² over L",
        f"K = {VARIED_K}, orthonormal, η = 10⁻⁶. No threshold in L: each curve is another, shifted along "
        "both axes, and becomes level, as late losses do not depend on L.",
        curves,
        "Lipschitz constant L",
    )
