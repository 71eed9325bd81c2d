"""The plots of the report of windows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from numerics.attention.window.loss import window_loss
from proofs_check.reports.pages.text import sci
from proofs_check.reports.rates.lines.pictures import DOTS, Curve, Picture, picture
from proofs_check.reports.rates.windows.exponents import PRINTED_EXPONENTS, Fit
from proofs_check.reports.rates.windows.monte_carlo import CASES, Drawn
from proofs_check.reports.rates.windows.widths import (
    AFFINE,
    COSINE,
    CROSSING,
    LENGTHS,
    RELU,
    THETA_DIMENSIONS,
    Table,
    sharp_exponent,
)
from theory.attention.window.laws import exponent

__all__ = ["draw"]

#: Colours of the classes, those of a user last, dashes of the lengths of prompts, and colours of
#: the dimensions of the phase diagram.
COLOURS = {AFFINE.name: "run-1", RELU.name: "run-2", COSINE.name: "run-3"}
OWN_COLOUR = "run-4"
LENGTH_STYLES = dict(zip(LENGTHS, (("1.5 2", "n = 100"), ("5 3", "n = 10⁴"))))
PHASES = dict(zip(THETA_DIMENSIONS, ("run-1", "run-2", "run-3", "run-4")))


def draw(table: Table, fits: Sequence[Fit], drawn: Sequence[Drawn]) -> list[Picture]:
    """The plots."""
    return [
        _slopes(table),
        _widths(table),
        *(_dimensions(fits, name) for name in PRINTED_EXPONENTS),
        *(_crossover(table), _drawn(drawn), _phases(table)),
    ]


def _widths(table: Table) -> Picture:
    """The best width over Lambda, for long prompts and at finite n."""
    d, curves = table.near[0].d, []
    for name in dict.fromkeys(row.tasks for row in table.near):
        rows = [row for row in [*table.far, *table.near] if (row.tasks, row.d) == (name, d) and row.w > 0]
        for n in (None, *reversed(LENGTHS)):
            dashes, told = LENGTH_STYLES[n] if n else ("", "n = ∞")
            points = [(row.Lambda, row.w) for row in rows if row.n == n]
            curves.append(Curve(f"{name}, {told}", COLOURS.get(name, OWN_COLOUR), dashes, points))
    return picture(
        "widths",
        "Best width w^* over Lambda",
        f"d = {d}. At finite n, exactly by R13, the width leaves the law where label noise no longer "
        "decides: it saturates at the width without noise, which grows with n.",
        curves,
        "Λ = n L²/σ²",
    )


def _slopes(table: Table) -> Picture:
    """Local slopes beside exponents."""
    d, curves = table.near[0].d, []
    for name in dict.fromkeys(row.tasks for row in table.near):
        points = [
            (row.Lambda, row.slope)
            for row in table.far
            if (row.tasks, row.d) == (name, d) and math.isfinite(row.slope)
        ]
        curves.append(Curve(f"{name}, exact", COLOURS.get(name, OWN_COLOUR), "", points))
    ends = (1e2, 1e12)
    levels = [
        ("Theorem 3.4, lower, affine: 1/(d+4)", 1 / (d + 4), "muted", "1.5 2"),
        ("Theorem 3.4, lower, ReLU: 1/(d+2)", 1 / (d + 2), "muted", "5 3"),
        ("sketch: 2/(d+4)", 2 / (d + 4), "run-6", "8 3"),
        ("ours, smooth: 2/(d+3)", 2 / (d + 3), "run-5", "1.5 2"),
        ("Theorem 3.4, upper; ours, ReLU: 2/(d+2)", 2 / (d + 2), "run-5", "5 3"),
    ]
    curves += [
        Curve(text, colour, dashes, [(x, level) for x in np.geomspace(*ends, 17)])
        for text, level, colour, dashes in levels
    ]
    return picture(
        "slopes",
        "Local slope of log w^* in log Lambda",
        f"n = ∞, d = {d}. The slopes settle at our exponents, inside the interval of Theorem "
        "3.4 and off the sketch's.",
        curves,
        "Λ = n L²/σ²",
        logarithmic=(True, False),
    )


def _dimensions(fits: Sequence[Fit], name: str) -> Picture:
    points = [(float(fit.d), fit.fit.value) for fit in fits if fit.tasks == name]
    over = np.linspace(min(d for d, _ in points), max(d for d, _ in points) + 1e-9, 33).tolist()
    ends = PRINTED_EXPONENTS[name]
    curves = [
        Curve("exact, fitted from 10⁷ to 10¹³", COLOURS[name], DOTS, points),
        Curve("ours", "run-5", "", [(d, sharp_exponent(name, d)) for d in over]),
        Curve("Theorem 3.4, lower", "muted", "5 3", [(d, ends(d)[0]) for d in over]),
        Curve("Theorem 3.4, upper", "muted", "1.5 2", [(d, ends(d)[1]) for d in over]),
    ]
    if name == AFFINE.name:
        curves.append(Curve("sketch of Section 3.1", "run-6", "8 3", [(d, 2 / (d + 4)) for d in over]))
    return picture(
        f"dimensions-{name.lower()}",
        f"Exponents over d, {name} tasks",
        "The upper end of Theorem 3.4 is sharp for ReLU tasks and not for affine ones; "
        "no lower end is reached.",
        curves,
        "dimension d",
        logarithmic=(False, False),
    )


def _crossover(table: Table) -> Picture:
    """From noise to none at one n."""
    d, n, _ = CROSSING
    curves = []
    for name in (AFFINE.name, COSINE.name):
        rows = [row for row in table.crossing if row.tasks == name and math.isfinite(row.Lambda)]
        curves.append(Curve(f"{name}, exact", COLOURS[name], DOTS, [(n / row.Lambda, row.w) for row in rows]))
        curves.append(
            Curve(f"{name}, crossover law", COLOURS[name], "5 3", [(n / row.Lambda, row.law) for row in rows])
        )
    return picture(
        "crossover",
        "From noise to none",
        f"d = {d}, n = {sci(float(n))}. As σ → 0 the best width stays finite, near the law with n^(2/(d+1)) "
        "(R14): Lambda alone does not decide.",
        curves,
        "noise σ²",
        logarithmic=(True, False),
    )


def _drawn(drawn: Sequence[Drawn]) -> Picture:
    shares, curves = np.geomspace(0.3, 3.4, 25), []
    error = max(found.standard_error / found.mean for found in drawn)
    for case, colour in zip(CASES, COLOURS.values()):
        name = f"{case.tasks.name}, d = {case.d}, n = {case.n}, σ² = {case.noise:g}"
        found = [x for x in drawn if (x.tasks, x.d) == (case.tasks.name, case.d)]
        exact = window_loss(case.tasks, case.d, case.n, found[0].best * shares, case.noise).loss
        curves.append(Curve(f"{name}: exact", colour, "", list(zip(shares.tolist(), exact.tolist()))))
        curves.append(
            Curve(f"{case.tasks.name}: drawn", colour, DOTS, [(x.w / x.best, x.mean) for x in found])
        )
    return picture(
        "drawn",
        "Drawn losses beside exact ones",
        "Means of 60 000 drawn prompts with tasks and label noise; standard errors are at most "
        f"{100 * error:.1f} %.",
        curves,
        "w over the best width",
        logarithmic=(False, False),
    )


def _phases(table: Table) -> Picture:
    over, curves = np.linspace(0.5, 3, 51).tolist(), []
    for d, colour in PHASES.items():
        curves.append(
            Curve(f"d = {d}, law", colour, "", [(theta, float(exponent(d, theta))) for theta in over])
        )
        curves.append(
            Curve(
                f"d = {d}, fitted", colour, DOTS, [(x.theta, x.fitted) for x in table.smoothness if x.d == d]
            )
        )
    return picture(
        "smoothness",
        "Exponent of Lambda over the smoothness theta",
        "Classes with b_k = k^(-1-2 theta); ReLU tasks have theta = 3/2, and from 2 on "
        "all classes are alike.",
        curves,
        "θ",
        logarithmic=(False, False),
    )
