"""The largest value of a function on a box, by evolution of a population that is evaluated all at
once. Ratios of a bound have many local maxima and cost little for a thousand points together, so
that differential evolution finds the peak, and an evolution strategy then climbs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["maximise", "refine"]

Array = npt.NDArray[np.float64]
Objective = Callable[[Array], Array]
#: Differential evolution: members for each parameter, and generations.
MEMBERS, GENERATIONS = 20, 50
#: Evolution strategy: members of a generation, and generations.
OFFSPRING, REFINEMENTS = 24, 40
#: The first ends where all members have the same value up to this share of it, the second where so
#: many generations together gained no larger share.
SAME, GAIN, PATIENCE = 1e-9, 1e-12, 10


def maximise(
    f: Objective,
    box: Sequence[tuple[float, float]],
    rng: np.random.Generator,
    starts: Sequence[npt.ArrayLike] = (),
) -> tuple[float, Array]:
    """The largest value found of f on a box and where, by differential evolution (after Zhang and
    Sanderson 2009) and then `refine` around the best point; nothing certifies that there is no
    larger one. f maps points (n, batch) to values (batch,); `starts` are members of the first
    generation, the others are spread over the box.
    """
    low, high = np.array(box, dtype=float).T[:, :, None]
    n = len(box)
    size = MEMBERS * n
    # One member in each slice of each parameter's range covers the box better than chance.
    strata = rng.permuted(np.tile(np.arange(size), (n, 1)), axis=1)
    x = low + (high - low) * (strata + rng.random((n, size))) / size
    for member, start in enumerate(starts):
        x[:, member] = start
    values = f(x)
    for _ in range(GENERATIONS):
        # Members move towards one of the best tenth: if all moved towards the best one, the
        # population would gather too early.
        better = rng.choice(values.argsort()[-max(2, size // 10) :], size)
        one, other = rng.integers(size, size=(2, size))
        step = 0.6 * (x[:, better] - x) + rng.uniform(0.5, 1, size) * (x[:, one] - x[:, other])
        moved = rng.random((n, size)) < 0.7
        moved[rng.integers(n, size=size), np.arange(size)] = True
        trial = np.where(moved, np.clip(x + step, low, high), x)
        found = f(trial)
        x, values = np.where(found >= values, trial, x), np.maximum(found, values)
        if math.isclose(values.min(), values.max(), rel_tol=SAME):
            break
    top = values.argsort()[-size // 4 :]
    return refine(f, box, rng, x[:, top[-1]], np.cov(x[:, top]).reshape(n, n))


def refine(
    f: Objective, box: Sequence[tuple[float, float]], rng: np.random.Generator, start: Array, spread: Array
) -> tuple[float, Array]:
    """The largest value found, and where, by an evolution strategy around the point `start` (n,):
    steps, of covariance `spread` at first, whose covariance learns from the best of a generation,
    shorter without success. The value is at least that at `start`.
    """
    low, high = np.array(box, dtype=float).T[:, :, None]
    x = start[:, None]
    value, size = float(f(x)[0]), 1.0
    spread = spread + np.diag(((high - low)[:, 0] * 1e-9) ** 2)
    reached = [value]
    for _ in range(REFINEMENTS):
        root = np.linalg.cholesky(spread + np.diag(1e-12 * np.diag(spread)))
        steps = np.clip(x + size * root @ rng.standard_normal((len(x), OFFSPRING)), low, high) - x
        found = f(x + steps)
        best = found.argsort()[::-1][: OFFSPRING // 4]
        learnt = steps[:, best] / size
        spread = 0.7 * spread + 0.3 * learnt @ learnt.T / len(best)
        if found[best[0]] > value:
            x, value, size = x + steps[:, [best[0]]], float(found[best[0]]), size * 1.5
        else:
            size *= 0.5
        reached.append(value)
        if len(reached) > PATIENCE and math.isclose(value, reached[-1 - PATIENCE], rel_tol=GAIN):
            break
    return value, x[:, 0]
