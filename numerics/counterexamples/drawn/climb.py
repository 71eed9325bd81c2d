"""A short climb from a drawn point of codes to a place near by where a statement is tighter."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from numerics.counterexamples.drawn.holds import ROUNDING, Tried
from numerics.counterexamples.drawn.scalars import MOST, simplest_or_worst

__all__ = ["by_kind", "climbed"]

#: Beside a point the same point is tried with one code changed by that much.
STEPS = (0, 32, -32, 256, -256, 1536, -1536, 4096, -4096)
#: A climb ends where a round gains less than this factor.
ENOUGH = 1.03
#: So many climb at once.
TOGETHER = 16

Codes = NDArray[np.int_]
Example = TypeVar("Example")
Kind = TypeVar("Kind", bound=Hashable)


def by_kind(
    kind_of: Callable[[Example], Kind],
    tried: Callable[[Kind, list[Example]], Sequence[Tried]],
    examples: Sequence[Example],
) -> list[Tried]:
    """What is tried of all examples of one kind at once, in the order of the examples.

    >>> together = lambda odd, among: [Tried(len(among), x) for x in among]
    >>> by_kind(lambda x: x % 2, together, [1, 2, 3])
    [Tried(ratio=2, at=1), Tried(ratio=1, at=2), Tried(ratio=2, at=3)]
    """
    places: dict[Kind, list[int]] = {}
    for place, example in enumerate(examples):
        places.setdefault(kind_of(example), []).append(place)
    found = {
        place: one
        for kind, among in places.items()
        for place, one in zip(among, tried(kind, [examples[place] for place in among]))
    }
    return [found[place] for place in range(len(examples))]


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
    starts: Sequence[Sequence[int]],
    free: Sequence[int],
    rounds: int = 5,
    steps: Sequence[int] = STEPS,
    leaps: Sequence[tuple[tuple[int, int], ...]] = (),
) -> list[Tried]:
    """The worst ratio on a climb from each start: at the points with one code changed by a step
    (the step 0 makes it 0), around the point at which all codes are the best of these, or around
    the best point if that led down, and so on. Where the statement fails, it is the simplest point
    at which it fails clearly, that is by a twentieth of what it does at the worst one.

    `ratios` maps codes of shape (n, k) to ratios of shape (n,), -oo where a hypothesis fails;
    `free` are the places of the codes that are changed; a leap has new codes for several places at
    once.

    >>> peak = lambda codes: 1 / (1 + np.abs(codes[:, 0] - 1536.0))
    >>> climbed(peak, [(0, 7)], (0,))
    [Tried(ratio=1.0, at=(1536, 7))]
    """
    if len(starts) > TOGETHER:
        parts = (starts[i : i + TOGETHER] for i in range(0, len(starts), TOGETHER))
        return [tried for part in parts for tried in climbed(ratios, part, free, rounds, steps, leaps)]
    at = np.array(starts, dtype=int)
    n, k = at.shape
    tried, top, climbing = list[tuple[Codes, NDArray[np.float64]]](), np.full(n, -np.inf), np.arange(n)
    rows = 1 + np.arange(len(free) * len(steps)).reshape(-1, len(steps))
    for _ in range(rounds):
        offsets, kept = _moves(k, tuple(free), tuple(steps), tuple(leaps) if not tried else ())
        around = np.clip(kept * at[climbing, None] + offsets, -MOST, MOST)
        found = ratios(around.reshape(-1, k)).reshape(around.shape[:2])
        every = np.zeros((n, len(offsets), k), dtype=int), np.full((n, len(offsets)), -np.inf)
        every[0][climbing], every[1][climbing] = around, found
        tried.append(every)
        best, high = found.argmax(1), found.max(1)
        each = rows[np.arange(len(free)), found[:, rows].argmax(2)]
        each = np.where(np.take_along_axis(found, each, 1) > found[:, :1], each, 0)
        moved = around[np.arange(len(found)), best]
        # All steps at once have led up so far.
        at_once = (found[:, 0] >= top[climbing]) & (best < 1 + rows.size)
        stepped = around[np.arange(len(found))[:, None], each, np.array(free)]
        moved[:, list(free)] = np.where(at_once[:, None], stepped, moved[:, list(free)])
        goes_on = (high <= 1 + ROUNDING) & ~(high < top[climbing] * ENOUGH)
        at[climbing], top[climbing] = moved, high
        climbing = climbing[goes_on]
        if not len(climbing):
            break
    codes, found = (np.concatenate(x, axis=1) for x in zip(*tried))
    return simplest_or_worst(codes, found)
