"""The optimal variance proxy of a law on few atoms of the line: the least sigma2 with
``E exp(t X) <= exp(sigma2 t^2 / 2)`` for every real t. Two atoms have a closed form (Kearns and
Saul 1998). For more the ratio is maximised numerically, and Arb then proves a slightly larger
rational to be a proxy, since a law that is offered as a counterexample must meet its hypothesis for
certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["certified_proxy", "checked_atoms", "enclosed_proxy", "kearns_saul", "optimal_proxy"]

#: How many intervals a proof may use before it gives up.
CELLS = 100_000
#: Where the largest ratio is looked for, in units of the distance of the outer atoms, and the steps
#: to it from there.
T = np.outer([1.0, -1.0], np.geomspace(1e-2, 10**2.5, 40)).ravel()
NEWTON = 7
#: How many of the highest peaks are climbed.
PEAKS = 3

Array = npt.NDArray[Any]


def kearns_saul(q: Any) -> Any:
    """The optimal variance proxy ``(1 - 2q) / (2 ln((1 - q) / q))``, 1/4 at q = 1/2, of the centred
    law on two atoms at distance 1, ``P(X = 1 - q) = q`` (Kearns and Saul 1998); an enclosure if q
    is a fraction.
    """
    if np.any(np.asarray(q) <= 0) or np.any(np.asarray(q) >= 1):
        raise ValueError(
            f"a two-atom law needs a probability strictly between 0 and 1, got q = {q}; drop atoms without "
            "mass"
        )
    if isinstance(q, Fraction):
        from flint import arb

        ratio = arb((1 - q).numerator) / q.numerator * q.denominator / (1 - q).denominator
        return (
            arb(1) / 4
            if q == Fraction(1, 2)
            else arb((1 - 2 * q).numerator) / (1 - 2 * q).denominator / (2 * ratio.log())
        )
    # with x = 1 - 2q the formula reads x / (4 artanh x), whose expansion at 0 avoids 0/0
    x = 1 - 2 * np.asarray(q, dtype=float)
    safe = np.where(np.abs(x) < 1e-4, 0.5, x)
    value = np.where(np.abs(x) < 1e-4, (1 - x * x / 3) / 4, safe / (4 * np.arctanh(safe)))
    return value if value.ndim else float(value)


def optimal_proxy(atoms: Any, weights: Any) -> Any:
    """The optimal variance proxy ``sup_t 2 ln E exp(t X) / t^2`` of centred laws on few atoms (k,
    ...), one for each trailing index and none a point mass, in floating point. Relative accuracy
    about 1e-7; it errs downwards.
    """
    x, p = np.asarray(atoms, dtype=float), np.asarray(weights, dtype=float)
    spread = x.max(0) - x.min(0)
    x = x / spread
    best = (p * x * x).sum(0)
    t = T.reshape((-1,) + (1,) * best.ndim)
    with np.errstate(all="ignore"):
        # below t = 1e-2 the logarithm is lost to rounding, where the ratio is the variance + E X^3
        # t / 3 anyway
        values = 2 * np.log(sum(q * np.exp(t * v) for q, v in zip(p, x))) / (t * t)
        best = np.maximum(best, values.max(0))
        # There are peaks of either sign, and the grid alone does not tell which is the highest.
        sides = np.pad(values.reshape(2, -1, *best.shape), ((0, 0), (1, 1)) + ((0, 0),) * best.ndim)
        inner = sides[:, 1:-1]
        peaks = np.where((inner >= sides[:, :-2]) & (inner >= sides[:, 2:]), inner, 0.0).reshape(values.shape)
        highest = []
        for _ in range(PEAKS):
            highest.append(peaks.argmax(0))
            np.put_along_axis(peaks, highest[-1][None], -1.0, 0)
        t = T[np.stack(highest)]
        for _ in range(NEWTON):  # for the zero of t^2 d/dt of the ratio, in ln|t|
            mass = p * np.exp(t[:, None] * x)
            total = mass.sum(1)
            mean = (mass * x).sum(1) / total
            log_mgf, bend = np.log(total), (mass * x * x).sum(1) / total - mean * mean
            best = np.maximum(best, (2 * log_mgf / (t * t)).max(0))
            slope, change = mean * t - 2 * log_mgf, bend * t * t - mean * t
            t = t * np.exp(np.clip(np.where(change < 0, -slope / change, np.sign(slope)), -0.2, 0.2))
    return best * spread**2


def checked_atoms(atoms: Sequence[Sequence[Fraction]], weights: Sequence[Fraction]) -> None:
    """Refuse what is no centred law, in exact arithmetic.

    >>> checked_atoms([[Fraction(1)], [Fraction(0)]], [Fraction(1, 2)] * 2)
    Traceback (most recent call last):
    ValueError: the law has mean ['1/2'], so that it is not centred; subtract the mean
    """
    if any(p <= 0 for p in weights) or sum(weights) != 1:
        raise ValueError(
            f"weights {[str(p) for p in weights]} are no probability: they must be positive with sum 1"
        )
    mean = [sum(p * x for p, x in zip(weights, axis, strict=True)) for axis in zip(*atoms, strict=True)]
    if any(mean):
        raise ValueError(
            f"the law has mean {[str(m) for m in mean]}, so that it is not centred; subtract the mean"
        )


def enclosed_proxy(atoms: Sequence[Fraction], weights: Sequence[Fraction]) -> Any:
    """A variance proxy of a centred law on the line as a `flint.arb`: the optimal one for two
    atoms, otherwise `certified_proxy`, which is within 1e-5 of it.

    >>> half = Fraction(1, 2)
    >>> enclosed_proxy([Fraction(3), Fraction(-3)], [half, half]) == 9
    True
    """
    from numerics.rationals import arb_ball

    if len(atoms) == 2:
        gap = atoms[0] - atoms[1]
        return kearns_saul(weights[0]) * arb_ball(gap * gap)
    return arb_ball(certified_proxy(atoms, weights))


def certified_proxy(atoms: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    """A rational variance proxy within 1e-5 of the optimal one, proved for every real t by Arb; 0
    for the point mass at 0. An ArithmeticError says that the proof needs more than `CELLS`
    intervals.
    """
    checked_atoms([(x,) for x in atoms], weights)
    if all(x == 0 for x in atoms):
        return Fraction(0)
    spread, largest = max(atoms) - min(atoms), max(abs(x) for x in atoms)
    found = float(optimal_proxy([float(x / spread) for x in atoms], [float(p) for p in weights]))
    proxy = Fraction(found * (1 + 8e-6)).limit_denominator(10**9) * spread**2
    variance = sum((p * x * x for p, x in zip(weights, atoms, strict=True)), Fraction(0))
    # |K'''| <= spread^3 for K = ln E exp(tX), so K'' <= proxy on |t| <= start; and K(t) <= |t|
    # largest settles |t| >= stop
    start, stop = (proxy - variance) / spread**3, 2 * largest / proxy
    if start <= 0:
        raise ArithmeticError(f"the proxy {float(proxy)} found is below the variance {float(variance)}")
    for sign in (1, -1):
        _prove_log_mgf_below([sign * x for x in atoms], weights, proxy, start, stop)
    return proxy


def _prove_log_mgf_below(
    atoms: Sequence[Fraction], weights: Sequence[Fraction], proxy: Fraction, start: Fraction, stop: Fraction
) -> None:
    """Show ``ln E exp(tX) <= proxy t^2 / 2`` on [start, stop], by the mean value form on cells that
    adapt their width.
    """
    from flint import arb, ctx

    from numerics.rationals import arb_ball

    left, end, growth = float(start) * (1 - 1e-9), float(stop) * (1 + 1e-9), 0.1
    with ctx.workprec(128):  # the difference is of the order of 1e-6 t^2, and t starts near 1e-6
        x, p, s = [arb_ball(v) for v in atoms], [arb_ball(v) for v in weights], arb_ball(proxy)
        for _ in range(CELLS):
            if left >= end:
                return
            right = left * (1 + growth)
            radius = (right - left) / 2 * (1 + 1e-9)
            c, cell = arb((left + right) / 2), arb((left + right) / 2, radius)
            at_centre = (
                s * c * c / 2 - sum((q * (c * v).exp() for q, v in zip(p, x, strict=True)), arb(0)).log()
            )
            tilted = [q * (cell * v).exp() for q, v in zip(p, x, strict=True)]
            slope = s * cell - sum((m * v for m, v in zip(tilted, x, strict=True)), arb(0)) / sum(
                tilted, arb(0)
            )
            if at_centre + slope * arb(0, radius) > 0:
                left, growth = right, min(growth * 1.5, 0.5)
            else:
                growth /= 2
    raise ArithmeticError(
        f"could not prove the proxy {float(proxy)} in {CELLS} cells; the law's atoms are too uneven"
    )
