"""The table of times: how many steps the attention needs, over classes K, accuracy eps, Lipschitz
constant L, distance Delta, learning rate eta and prompt length N.

The tasks take the values ``+-L Delta/2``, each on a random half of the features: they have the
Lipschitz constant L, are exchangeable, and have the spread `spread`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from numerics.rates.features.clocks import Features, families
from numerics.rates.fits.power_law import local_slopes
from theory import ReducedAttention

__all__ = ["EPS", "Exponent", "Time", "exponent", "spread", "time_table"]

#: Accuracies: the attention reaches 1 - eps, and the loss eps^2.
EPS = (1e-1, 1e-2, 1e-3, 1e-4)
#: Numbers of classes that only closed forms reach.
FAR = tuple(2**n for n in range(12, 41, 4))
#: Where L, Delta, eta and N are varied: orthonormal directions, this many classes and accuracy.
VARIED_K, VARIED_EPS = 16, 1e-2


class Time(NamedTuple):
    """One row of the table: the time, in steps of gradient descent, until an event.

    Attributes
    ----------
    features : str
    family : str
    event : {"Attn >= 1/2", "Attn >= 1-eps", "loss <= eps^2"}
    K : int
    eps : float or None
    L, Delta, eta : float
    N : int or None
        Tokens in a prompt; None is the population prompt.
    steps : float
        Infinite if the event never happens, and nan beyond the integration of random features.
    """

    features: str
    family: str
    event: str
    K: int
    eps: float | None
    L: float
    Delta: float
    eta: float
    N: int | None
    steps: float


class Exponent(NamedTuple):
    """A fitted exponent; the times are exact, so that its interval is that of the local slopes."""

    value: float
    low: float
    high: float


def spread(K: int, L: float, Delta: float) -> float:
    """``sigma_f^2 = E (f_1 - f_2)^2 / 2`` of the tasks ``+-L Delta/2`` on random halves.

    Examples
    --------
    >>> spread(4, 1.0, 2.0)  # two values differ by 2, with probability 2/3
    1.3333333333333333
    """
    return (L * Delta) ** 2 / 4 * K / (K - 1)


def exponent(x: ArrayLike, y: ArrayLike) -> Exponent:
    """The slope of log y over log x by least squares, with the least and largest local slope.

    Parameters
    ----------
    x, y : array_like of shape (n,)
        Positive; x increases from 1 on.

    Examples
    --------
    >>> [round(v, 6) for v in exponent([1, 10, 100], [3.0, 300.0, 30000.0])]
    [2.0, 2.0, 2.0]
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    slopes = local_slopes(x, y, 1e-12 * y).slope
    return Exponent(float(np.polyfit(np.log(x), np.log(y), 1)[0]), float(slopes.min()), float(slopes.max()))


def _rows(found: Features, L: float, eta: float, eps: Sequence[float]) -> list[Time]:
    """The rows of one choice of features, at population prompts."""
    K, Delta, clock = found.K, found.Delta, found.clock
    s2 = spread(K, L, Delta)

    def row(event: str, accuracy: float | None, time: float) -> Time:
        return Time(found.name, found.family, event, K, accuracy, L, Delta, eta, None, time / (eta * s2))

    rows = [row("Attn >= 1/2", None, clock.attention_time(0.5))]
    rows += [row("Attn >= 1-eps", e, clock.attention_time(min(e, 1 - 1 / K))) for e in eps]
    return rows + [row("loss <= eps^2", e, clock.loss_time(min(e**2 / s2, 0.5 - 0.5 / K))) for e in eps]


def _varied() -> list[Time]:
    """The rows in which L, Delta and eta are varied one at a time, and those of finite prompts."""
    rows: list[Time] = []
    for L, Delta, eta in [
        # At these rates a step is short for every L and Delta.
        *((10.0**n, 2**0.5, 1e-6) for n in (0, 1, 2, 3)),
        *((1.0, 2.0**n, 1e-3) for n in (0, 1, 2)),
        *((1.0, 2**0.5, 10.0**-n) for n in (1, 2)),
    ]:
        # Features scaled by s move at s^4 times the speed: kappa is half the squared distance.
        features = Features("orthonormal", "orthogonal of one norm", VARIED_K, Delta, ReducedAttention(VARIED_K, Delta**4 / 4))
        rows += _rows(features, L, eta, [VARIED_EPS])
    s2 = spread(VARIED_K, 1.0, 2**0.5)
    for N in (16, 64, 256, 1024, 4096):
        reduced = ReducedAttention(VARIED_K, 1.0, prompt_length=N)
        level = VARIED_EPS**2 / s2
        steps = reduced.loss_time(level) / s2 if level > reduced.floor else float("inf")
        rows.append(Time("orthonormal", "orthonormal", "loss <= eps^2", VARIED_K, VARIED_EPS, 1.0, 2**0.5, 1.0, N, steps))
    return rows


def time_table(
    classes: Sequence[int], seed: int, advance: Callable[[int, int], None] = lambda done, total: None
) -> tuple[list[Time], list[Features]]:
    """The whole table, and the features of which it tells.

    Parameters
    ----------
    classes : sequence of int
        Even numbers of classes, from 4 on.
    seed : int
        Of the random features.
    advance : callable
        Is told how many choices of features are done, and of how many.

    Returns
    -------
    tuple of (list of Time, list of Features)

    Examples
    --------
    >>> rows, _ = time_table([4], 0)
    >>> next(round(row.steps, 4) for row in rows if row.features == "orthonormal")
    26.1234
    """
    given = families(classes, seed)
    far = [Features("orthonormal", "orthonormal", K, 2**0.5, ReducedAttention(K, 1.0)) for K in FAR]
    rows: list[Time] = []
    for i, found in enumerate(given + far):
        rows += _rows(found, 1.0, 1.0, EPS)
        advance(i + 1, len(given + far))
    return rows + _varied(), given
