"""Bounds on the loss of an attention window, tried at many lengths, widths and dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.loss import WindowLoss, window_loss
from numerics.attention.window.plain import plain_spread, plain_window_loss
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence, Verdict
from theory.attention.window.classes import TaskClass
from theory.attention.window.own_class import from_spectrum

__all__ = ["at_most", "learned_loss", "only_noise", "widths_between"]

Floats = NDArray[np.float64]
Bound = Callable[[int, int, Floats], Floats]


def only_noise(L: float) -> TaskClass:
    """Tasks that vary too little to count."""
    return from_spectrum([0, 1e-18])


@cache
def _loss(
    tasks: Callable[[float], TaskClass], d: int, n: int, widths: tuple[float, ...] | float, noise: float
) -> WindowLoss:
    """The loss for L = 1, kept between a claim and its controls."""
    return window_loss(tasks(1.0), d, n, widths, noise)


@cache
def _again(tasks: Callable[[float], TaskClass], d: int, n: int, w: float, noise: float) -> float:
    return plain_window_loss(tasks(1.0).spectrum(d), n, w, noise, nodes=1600)


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
    """Compare the loss with ``bound(d, n, w)``, one from below if `floor`, at every dimension,
    length and width, for L = 1: SUPPORTED with the largest share of the bound that is reached, or
    REFUTED at the worst place, by two routes. There are no ``widths(d, n)`` where the statement
    says nothing.
    """
    worst, at, count = -np.inf, (0, 0, 0.0), 0
    for d, n in product(dimensions, lengths):
        w = np.asarray(widths(d, n), dtype=float)
        if not w.size:
            continue
        found, stated = _loss(tasks, d, n, tuple(w.tolist()), noise).loss, bound(d, n, w)
        shares = stated / found if floor else found / stated
        count += w.size
        if shares.max() > worst:
            worst, at = float(shares.max()), (d, n, float(w[shares.argmax()]))
    d, n, width = at
    if worst > 1:
        witness = {"d": d, "n": n, "w": width, "share of the bound": worst}
        again = _again(tasks, d, n, width, noise)
        limit = float(bound(d, n, np.array([width]))[0])
        second = limit / again if floor else again / limit
        return refuted_by_two_routes("quadrature", witness, worst, 1.0, second, checked=checked)
    covered = f"{count} cases; at most {worst:.4g} of the bound, at d = {d}, n = {n}, w = {width:.4g}"
    return Evidence(
        verdict=Verdict.SUPPORTED, engine="quadrature", checked=checked, covered=covered, slack=1 / worst
    )


@cache
def _best(tasks: Callable[[float], TaskClass], d: int, n: int, noise: float) -> float:
    """The best width for L = 1, kept between a claim and its controls."""
    return optimal_window(tasks(1.0), d, n, noise).w


_spread = cache(plain_spread)


def widths_between(
    tasks: Callable[[float], TaskClass],
    power: Callable[[int], float],
    constant: float,
    *,
    floor: bool,
    dimensions: Iterable[int],
    lengths: Iterable[int],
    noises: Callable[[int, int], Iterable[float]],
    checked: str,
) -> Evidence:
    """Compare the best width with a constant times the ``power(d)`` of ``Lambda = n/sigma^2``, for
    L = 1 and the variances ``noises(d, n)`` that the statement allows: at least that much if
    `floor`, else at most.

    SUPPORTED with the tightest ratio, or REFUTED at the tightest one for which the second route is
    accurate enough: the plain loss is smaller at the width found than at the one that the statement
    would allow.
    """
    cases = []
    for d, n in product(dimensions, lengths):
        for noise in noises(d, n):
            stated = constant * (n / noise) ** power(d)
            w = _best(tasks, d, n, noise)
            cases.append((w / stated if floor else stated / w, d, n, noise, w))
    cases.sort()
    refuted = None
    for ratio, d, n, noise, w in cases:
        if ratio >= 1 or (refuted is not None and refuted.verdict is Verdict.REFUTED):
            break
        allowed = w / ratio if floor else w * ratio
        at_best, at_allowed = (_again(tasks, d, n, x, noise) for x in (w, allowed))
        witness = {"d": d, "n": n, "noise": noise, "best width": w, "stated end": allowed}
        same = float(_loss(tasks, d, n, allowed, noise).loss - _loss(tasks, d, n, w, noise).loss)
        second = at_allowed - at_best
        refuted = refuted_by_two_routes("quadrature", witness, same, 0.0, second, checked=checked)
    if refuted is not None:
        return refuted
    worst, d, n, noise, w = cases[0]
    covered = (
        f"{len(cases)} cases; the ratio is at least {worst:.4g}, at d = {d}, n = {n}, "
        f"noise = {noise:.4g}, w = {w:.4g}"
    )
    return Evidence(
        verdict=Verdict.SUPPORTED, engine="quadrature", checked=checked, covered=covered, slack=worst
    )


def learned_loss(
    tasks: Callable[[float], TaskClass],
    others: Iterable[Callable[[float], TaskClass]],
    bound: Callable[[int, float], float],
    *,
    dimensions: Iterable[int],
    lengths: Iterable[int],
    noises: Callable[[int, int], Iterable[float]],
    checked: str,
    steepness: int = 1,
) -> Evidence:
    """Compare the loss of every task of the constant `steepness` at the width learned on some with
    ``bound(d, Lambda)``, L = 1: SUPPORTED with the largest share of the bound that any task can
    reach; REFUTED, by two routes, where one of the `others` exceeds it; OPEN in between.

    The signal term of any task is at most the mean of ``sum gamma_i |x_i - x|^2``, as attention
    averages, and f(x_i) differs from f(x) by no more than the distance, times the square of the
    constant.
    """
    worst, most, count = 0.0, 0.0, 0
    at: tuple[int, int, float, Callable[[float], TaskClass]] = (0, 0, 0.0, tasks)
    for d, n in product(dimensions, lengths):
        for noise, other in product(noises(d, n), others):
            w, stated = _best(tasks, d, n, noise), bound(d, n / noise)
            found = _loss(other, d, n, w, noise)
            most = max(most, (steepness**2 * _spread(d, n, w) + float(found.noise)) / stated)
            count += 1
            if (share := float(found.loss) / stated) > worst:
                worst, at = share, (d, n, noise, other)
    d, n, noise, other = at
    w = _best(tasks, d, n, noise)
    if worst > 1:
        again = _again(other, d, n, w, noise) / bound(d, n / noise)
        witness = {
            "d": d,
            "n": n,
            "noise": noise,
            "tasks": other(1.0).name,
            "w": w,
            "share of the bound": worst,
        }
        return refuted_by_two_routes("quadrature", witness, worst, 1.0, again, checked=checked)
    told = f"{other(1.0).name} tasks reach {worst:.4g} of the bound, at d = {d}, n = {n}, noise = {noise:.4g}"
    if most > 1:
        return Evidence(
            verdict=Verdict.OPEN,
            engine="quadrature",
            checked=checked,
            reason=f"{told}; a task may reach {most:.4g}",
        )
    covered = f"{count} cases; every task is at most {most:.4g} of the bound; {told}"
    return Evidence(
        verdict=Verdict.SUPPORTED, engine="quadrature", checked=checked, covered=covered, slack=1 / most
    )
