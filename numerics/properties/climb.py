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
STEPS = (0, 32, -32, 256, -256, 1536, -1536, 4096, -4096)
#: A climb ends where a round gains less than this factor.
ENOUGH = 1.03

Codes = NDArray[np.int_]


@lru_cache(maxsize=64)
def _moves(
    count: int, free: tuple[int, ...], steps: tuple[int, ...], leaps: tuple[tuple[tuple[int, int], ...], ...]
) -> tuple[Codes, Codes]:
    """What is added to the codes, and 0 where a code is replaced by that, else 1: for nothing, each
    step at each free place, where the step 0 stands for the code 0, and the leaps.
    """
    moves = [(), *(((place, step),) for place in free for step in steps), *leaps]
    out, kept = np.zeros((len(moves), count), dtype=int), np.ones((len(moves), count), dtype=int)
    for row, move in enumerate(moves):
        for place, step in move:
            out[row, place], kept[row, place] = step, step != 0 and row <= len(free) * len(steps)
    return out, kept


def climbed(
    ratios: Callable[[Codes], NDArray[np.float64]],
    start: Sequence[int],
    free: Sequence[int],
    rounds: int = 5,
    steps: Sequence[int] = STEPS,
    leaps: Sequence[tuple[tuple[int, int], ...]] = (),
) -> Tried:
    """The worst ratio on a climb: at the points with one code changed, around the point at which
    all codes are the best of these, or around the best point if that led down, and so on.

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
        By which they are changed; 0 makes a code 0.
    leaps : sequence of tuples of (place, code)
        New codes for several places at once, which are tried in the first round, too.

    Returns
    -------
    Tried
        The largest ratio and its codes; where the statement fails somewhere, the simplest of the
        points at which it fails clearly, that is by a twentieth of what it does at the worst one.

    Examples
    --------
    >>> peak = lambda codes: 1 / (1 + np.abs(codes[:, 0] - 1536.0))
    >>> climbed(peak, (0, 7), (0,))
    Tried(ratio=1.0, at=(1536, 7))
    """
    at, tried, top = np.array(start, dtype=int), list[tuple[Codes, NDArray[np.float64]]](), -np.inf
    for _ in range(rounds):
        offsets, kept = _moves(len(at), tuple(free), tuple(steps), tuple(leaps) if not tried else ())
        codes = np.clip(kept * at + offsets, -MOST, MOST)
        found = ratios(codes)
        tried.append((codes, found))
        if found.max() > 1 + ROUNDING or found.max() < top * ENOUGH:
            break
        rows = 1 + np.arange(len(free) * len(steps)).reshape(-1, len(steps))
        best = np.take_along_axis(rows, found[rows].argmax(1)[:, None], 1)[:, 0]
        at = codes[found.argmax()].copy()
        if found[0] >= top and found.argmax() < 1 + rows.size:  # all steps at once have led up so far
            for place, row in zip(free, np.where(found[best] > found[0], best, 0)):
                at[place] = codes[row, place]
        top = found.max()
    codes, found = (np.concatenate(x) for x in zip(*tried))
    top = float(found.max())
    k = int(found.argmax())
    if top > 1 + ROUNDING:
        k = int(np.where(found > 1 + (min(top, 3.0) - 1) / 20, np.abs(codes).sum(1), np.inf).argmin())
    return Tried(float(found[k]) if top > -np.inf else float("nan"), tuple(codes[k].tolist()))
