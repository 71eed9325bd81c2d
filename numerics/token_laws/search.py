"""Search for the v at which ``2 ln E exp(v.Z) / |v|^2`` is largest: no smaller sigma^2 is honest.

The ratio is computed on rays in many directions, and the search climbs from the best of them by
its gradient. As v tends to 0 the ratio tends to the variance along v, which is looked at by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.token_laws.tilted_by_cauchy import scale_of

__all__ = ["Found", "largest_ratio"]

Floats = NDArray[np.float64]
#: Random directions, beside those of the covariance, the axes and the caller's; and the number of
#: rays from whose best point the search climbs.
DIRECTIONS, CLIMBS = 64, 6
#: Entries of v handled at a time.
ENTRIES = 2_000_000
#: The shortest |v| in units of 1 / the size of tokens, the longest in units of 1 / their standard
#: deviation, and the logarithm of a step between. A rare token makes the two units differ.
SHORTEST, LONGEST, STEP = 0.02, 200.0, 0.23
#: Bisections of the place where a log-mgf ceases to be finite.
BISECTIONS = 24


class Found(NamedTuple):
    """The largest ratio, the v at which it is attained (0 for the variance, in the direction
    `along`), and what was tried.
    """

    ratio: float
    v: Floats
    along: Floats
    directions: int
    lengths: Floats
    tried: int
    lost: int  # v at which the log-mgf is not finite
    end: Floats | None  # the shortest of them


def largest_ratio(
    log_mgf: Callable[[NDArray[Any]], NDArray[Any]],
    mean: Callable[[Floats], Floats],
    covariance: Floats,
    *,
    extra: Floats | None = None,
    seed: int = 0,
) -> Found:
    """The largest ``2 ln E exp(v.Z) / |v|^2`` over directions, ``extra`` ones among them, and
    lengths, and the largest variance; ``mean`` is that of the tilted law, the gradient of the
    log-mgf, and the covariance is not zero.
    """
    from scipy.optimize import minimize

    d = len(covariance)
    values, vectors = np.linalg.eigh(covariance)
    scale = float(np.sqrt(values[-1]))
    rng = np.random.default_rng(seed)
    rows = [vectors.T, np.eye(d), np.ones((1, d)), rng.standard_normal((DIRECTIONS, d))] + (
        [] if extra is None else [extra]
    )
    directions = np.concatenate(rows)
    sizes = np.linalg.norm(directions, axis=1)
    directions = directions[sizes > 0] / sizes[sizes > 0, None]
    directions = np.concatenate([directions, -directions]) if d > 1 else np.array([[1.0], [-1.0]])
    shortest = SHORTEST / max(scale, scale_of(log_mgf, d))
    lengths = np.geomspace(
        shortest, LONGEST / scale, 1 + math.ceil(math.log(LONGEST / scale / shortest) / STEP)
    )
    v = directions[:, None, :] * lengths[:, None]
    some = max(1, ENTRIES // (d * lengths.size))
    with np.errstate(all="ignore"):
        K = np.concatenate([np.real(log_mgf(v[i : i + some])) for i in range(0, len(v), some)])
    finite = np.isfinite(K)
    ratio = np.where(finite, 2 * K / lengths**2, -np.inf)
    lost, end = int((~finite).sum()), None
    if lost:
        last, squares = _ends(log_mgf, directions, lengths, finite)
        v = np.concatenate([v, last[:, None]], axis=1)
        with np.errstate(all="ignore"):
            at_end = 2 * np.real(log_mgf(last)) / squares
        ratio = np.concatenate([ratio, np.where(np.isfinite(at_end), at_end, -np.inf)[:, None]], axis=1)
        end = last[int(squares.argmin())]
    best, at = float(values[-1]), np.zeros(d)

    def downhill(x: Floats) -> tuple[float, Floats]:
        """The negative of the ratio at v = x / scale in units of scale^2, and its gradient."""
        point, square = x / scale, float(x @ x)
        value = float(np.real(log_mgf(point[None]))[0])
        if not np.isfinite(value) or square < (shortest * scale) ** 2:
            return 0.0, np.zeros(d)
        try:
            gradient = mean(point)
        except ValueError:  # a log-mgf that overflows near by
            return 0.0, np.zeros(d)
        return -2 * value / square, 4 * value * x / square**2 - 2 * gradient / scale / square

    starts = np.argsort(ratio.max(1))[::-1][:CLIMBS]
    for i in starts:
        if not np.isfinite(ratio[i].max()):
            continue
        start = v[i, ratio[i].argmax()]
        with np.errstate(all="ignore"):
            top = minimize(downhill, start * scale, jac=True, method="L-BFGS-B")
        for point, value in ((top.x / scale, -float(top.fun) * scale**2), (start, float(ratio[i].max()))):
            if value > best:
                best, at = value, point
    return Found(best, at, vectors[:, -1], len(directions), lengths, int(K.size), lost, end)


def _ends(
    log_mgf: Callable[[NDArray[Any]], NDArray[Any]], directions: Floats, lengths: Floats, finite: Any
) -> tuple[Floats, Floats]:
    """The last v on each ray at which the log-mgf is finite, by bisection, and their squares."""
    first = np.where(finite.all(1), len(lengths) - 1, finite.argmin(1))
    low, high = lengths[np.maximum(first - 1, 0)], lengths[first]
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        with np.errstate(all="ignore"):
            good = np.isfinite(np.real(log_mgf(directions * middle[:, None])))
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return directions * low[:, None], low**2
