"""Bounds on the loss of an attention window, tried at many lengths, widths and dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from numerics.evidence import Evidence, Verdict
from numerics.refutation import refuted_by_two_routes
from theory.attention.window.classes import TaskClass

__all__ = ["at_most"]

Floats = NDArray[np.float64]
Bound = Callable[[int, int, Floats], Floats]


def at_most(
    tasks: Callable[[float], TaskClass],
    bound: Bound,
    *,
    dimensions: Iterable[int],
    lengths: Iterable[int],
    widths: Callable[[int, int], Floats],
    noise: float = 0.0,
    checked: str,
    floor: bool = False,
) -> Evidence:
    """Compare the loss with a bound at every dimension, length and width, for L = 1.

    Parameters
    ----------
    tasks : callable
        The class, such as ``affine``.
    bound : callable
        ``bound(d, n, w)`` for an array of widths.
    dimensions, lengths : iterable of int
    widths : callable
        ``widths(d, n)``, an array; empty where the statement says nothing.
    noise : float
        sigma^2.
    checked : str
        LaTeX of the statement.
    floor : bool
        The bound is one from below.

    Returns
    -------
    Evidence
        SUPPORTED with the largest share of the bound that is reached, or REFUTED at the worst
        place, by two routes.
    """
    worst, at, count = -np.inf, (0, 0, 0.0), 0
    for d, n in product(dimensions, lengths):
        w = np.asarray(widths(d, n), dtype=float)
        if not w.size:
            continue
        found, stated = window_loss(tasks(1.0), d, n, w, noise).loss, bound(d, n, w)
        shares = stated / found if floor else found / stated
        count += w.size
        if shares.max() > worst:
            worst, at = float(shares.max()), (d, n, float(w[shares.argmax()]))
    d, n, width = at
    if worst > 1:
        witness = {"d": d, "n": n, "w": width, "share of the bound": worst}
        again = plain_window_loss(tasks(1.0).spectrum(d), n, width, noise, nodes=1600)
        limit = float(bound(d, n, np.array([width]))[0])
        second = limit / again if floor else again / limit
        return refuted_by_two_routes("quadrature", witness, worst, 1.0, second, checked=checked)
    covered = f"{count} cases; at most {worst:.4g} of the bound, at d = {d}, n = {n}, w = {width:.4g}"
    return Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", checked=checked, covered=covered, slack=1 / worst)
