"""Whether the best width grows along a list of tasks, by exact losses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from numerics.attention.window.best_width import BestWindow, optimal_window
from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence, Verdict
from theory.attention.window.classes import TaskClass

__all__ = ["Place", "best_window", "grows"]

#: Widths above a given one at which the loss is compared, as its multiples.
ABOVE = np.geomspace(1.0, 20.0, 24)


class Place(NamedTuple):
    """A pretraining problem: what a reader is shown of it, its tasks, d, n and noise sigma^2, and
    its quantities under the names of the hypotheses.
    """

    name: str
    tasks: TaskClass
    d: int
    n: int
    noise: float
    where: dict[str, Any]


@cache
def best_window(tasks: TaskClass, d: int, n: int, noise: float) -> BestWindow:
    """The best window, kept between claims and their controls if they give the same object."""
    return optimal_window(tasks, d, n, noise)


def grows(places: Sequence[Place], checked: str) -> Evidence:
    """The best width of each problem is at least that of the one before: SUPPORTED with the norms
    2w, or REFUTED where the loss of some problem is larger at the best width of the one before, and
    at all larger ones that are tried, than at its own.
    """
    best = [best_window(p.tasks, p.d, p.n, p.noise).w for p in places]
    for p, w_before, w in zip(places[1:], best, best[1:]):
        if w >= w_before:
            continue
        above = w_before * ABOVE
        losses = window_loss(p.tasks, p.d, p.n, [*above, w], p.noise).loss
        at = int(np.argmin(losses[:-1]))
        spectrum = p.tasks.spectrum(p.d)
        again = [plain_window_loss(spectrum, p.n, float(x), p.noise) for x in (above[at], w)]
        witness = {**p.where, "least 2w before": round(2 * w_before, 3), "least 2w": round(2 * w, 3)}
        witness |= {"loss at or above it": float(losses[at]), "least loss": float(losses[-1])}
        found = float(losses[at] - losses[-1])
        return refuted_by_two_routes("quadrature", witness, found, 0.0, again[0] - again[1], checked=checked)
    told = ", ".join(f"{2 * w:.3f} ({p.name})" for p, w in zip(places, best))
    return Evidence(
        verdict=Verdict.SUPPORTED, engine="quadrature", checked=checked, covered=f"best norms 2w: {told}"
    )
