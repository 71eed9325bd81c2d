"""A short climb from a drawn point of codes to a place near by where a statement is tighter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from numerics.properties.holds import ROUNDING, Tried
from numerics.properties.scalars import MOST

__all__ = ["climbed"]

#: Beside a point the same point is tried with one code changed by that much.
STEPS = (32, -32, 256, -256, 1536, -1536, 4096, -4096)

Codes = NDArray[np.int_]


@lru_cache(maxsize=64)
def _offsets(count: int, free: tuple[int, ...], steps: tuple[int, ...], pairs: tuple[tuple[int, int], ...]) -> Codes:
    """What is added to the codes: nothing, each step at each free place, and steps at two places."""
    moves: list[tuple[tuple[int, int], ...]] = [(), *(((place, step),) for place in free for step in steps)]
    moves += [((i, x), (j, y)) for i, j in pairs for x in steps for y in steps]
    out = np.zeros((len(moves), count), dtype=int)
    for row, move in enumerate(moves):
        for place, step in move:
            out[row, place] = step
    return out


def climbed(
    ratios: Callable[[Codes], NDArray[np.float64]],
    start: Sequence[int],
    free: Sequence[int],
    rounds: int = 3,
    steps: Sequence[int] = STEPS,
    pairs: Sequence[tuple[int, int]] = (),
) -> Tried:
    """The worst ratio on a climb: at the points with one code changed, around the point at which
    all codes are the best of these, and so on.

    Parameters
    ----------
    ratios : callable
        Maps codes of shape (n, k) to ratios of shape (n,), -oo where a hypothesis fails.
    start : sequence of int
        The k codes of the example.
    free : sequence of int
        The places of the codes that are changed.
    rounds : int
    steps : sequence of int
        By which they are changed.
    pairs : sequence of (int, int)
        Places of which both are changed at once, too, in the first round.

    Returns
    -------
    Tried
        The largest ratio and its codes; where the statement fails somewhere, the simplest of the
        points at which it fails by at least half as much as at the worst one.

    Examples
    --------
    >>> peak = lambda codes: 1 / (1 + np.abs(codes[:, 0] - 900.0))
    >>> climbed(peak, (0, 7), (0,), 2).at
    (896, 7)
    """
    at, tried, top = np.array(start, dtype=int), list[tuple[Codes, NDArray[np.float64]]](), -np.inf
    for _ in range(rounds):
        codes = at + _offsets(len(at), tuple(free), tuple(steps), tuple(pairs) if not tried else ())
        codes = np.clip(codes, -MOST, MOST)
        found = ratios(codes)
        tried.append((codes, found))
        if found.max() > 1 + ROUNDING:
            break
        if tried and found[0] < top:  # all steps at once led down: from the best single one
            where = max(tried, key=lambda t: t[1].max())
            at, top = where[0][where[1].argmax()], np.inf if where[1].max() == top else where[1].max()
            continue
        top = found.max()
        rows = 1 + np.arange(len(free) * len(steps)).reshape(-1, len(steps))
        best = np.take_along_axis(rows, found[rows].argmax(1)[:, None], 1)[:, 0]
        better = found[best] > found[0]
        if not better.any():
            break
        at = at.copy()
        for place, row in zip(np.array(free)[better], best[better]):
            at[place] = codes[row, place]
    codes, found = (np.concatenate(x) for x in zip(*tried))
    top = float(found.max())
    k = int(found.argmax())
    if top > 1 + ROUNDING:
        k = int(np.where(found > 1 + (min(top, 3.0) - 1) / 2, np.abs(codes).sum(1), np.inf).argmin())
    return Tried(float(found[k]) if top > -np.inf else float("nan"), tuple(codes[k].tolist()))
