"""Rows of whole numbers, which Hypothesis draws as one piece; imported where a property runs.

A tuple of Hypothesis's own strategies is made of pieces. It then spends five of six examples on
copies of an example in which one piece stands in the place of another, which for the codes of
different quantities says little. A row has no pieces, and rows come in lists, whose examples a
property may try at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.strategies import SearchStrategy, tuples

__all__ = ["Row", "Rows", "in_lists"]

#: A list has at most so many examples, and so many numbers: Hypothesis refuses larger ones.
AT_ONCE, NUMBERS = 99, 1500


class Row(SearchStrategy[Any]):
    """Whole numbers, each from a range, in which it shrinks towards 0 or the end next to it."""

    def __init__(self, *ranges: tuple[int, int]) -> None:
        super().__init__()
        self.ranges = ranges

    @property
    def simplest(self) -> tuple[int, ...]:
        """What rows shrink to."""
        return tuple(min(max(0, least), most) for least, most in self.ranges)

    def shrunk(self, row: tuple[int, ...], condition: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
        """A simpler row that meets a condition, from one that does: each number in turn is brought
        as near to its simplest value as the condition allows.

        >>> Row((-500, 500), (0, 9)).shrunk((400, 7), lambda row: row[0] > 70)
        (71, 0)
        """
        # Twice, since a number may wait for one that comes after it.
        for place, simple in (*enumerate(self.simplest), *enumerate(self.simplest)):
            if row[place] == simple:
                continue
            fails, far = simple - (1 if row[place] > simple else -1), row[place]
            tried = simple
            while abs(far - fails) > 1:
                changed = (*row[:place], tried, *row[place + 1 :])
                if condition(changed):
                    row, far = changed, tried
                else:
                    fails = tried
                tried = (fails + far) // 2
        return row

    def do_draw(self, data: ConjectureData) -> tuple[int, ...]:
        return tuple(
            data.draw_integer(least, most, shrink_towards=min(max(0, least), most))
            for least, most in self.ranges
        )

    def spread(self, data: ConjectureData) -> tuple[int, ...]:
        """Draw a row whose numbers are spread evenly over their ranges; that of no bits is the
        simplest row.
        """
        words = np.frombuffer(
            data.draw_bytes(4 * len(self.ranges), 4 * len(self.ranges)), dtype="<u4"
        ).tolist()
        return tuple(
            least + (simple - least + word) % (most - least + 1)
            for word, simple, (least, most) in zip(words, self.simplest, self.ranges)
        )


class Rows(SearchStrategy[Any]):
    """Lists of at most `most` different examples, each with a row of every kind; a list that holds
    the simplest example holds no other one.
    """

    def __init__(self, kinds: Sequence[Row], most: int) -> None:
        super().__init__()
        self.kinds, self.most = kinds, most

    def do_draw(self, data: ConjectureData) -> list[tuple[tuple[int, ...], ...]]:
        simplest = tuple(row.simplest for row in self.kinds)
        drawn: dict[Any, None] = {}
        for tries in range(2 * self.most):  # some come out equal
            # Hypothesis draws small numbers more often, and with them what is simple; large ones
            # are found by the rows in between.
            drawn[tuple(row.spread(data) if tries % 2 else row.do_draw(data) for row in self.kinds)] = None
            if len(drawn) > self.most or (tries == 2 and drawn.keys() == {simplest}):
                break
        return [example for example in drawn if example != simplest][: self.most] or [simplest]


def in_lists(kinds: Sequence[SearchStrategy[Any]], number: int) -> tuple[SearchStrategy[Any], int]:
    """The strategy of lists of examples, each one value of each kind, and how many lists hold so
    many examples.

    Hypothesis spends a third of a millisecond on everything that it draws, which is more than most
    properties need for an example. So rows are drawn in long lists; the first thing that Hypothesis
    draws is the simplest one, which is a list with one example. Other strategies are drawn one by
    one.
    """
    rows = [kind for kind in kinds if isinstance(kind, Row)]
    if len(rows) < len(kinds):
        return tuples(*kinds).map(lambda example: [example]), number
    most = max(1, min(AT_ONCE, NUMBERS // sum(len(row.ranges) for row in rows)))
    lists = 1 + -(-(number - 1) // most)
    return Rows(rows, -(-(number - 1) // (lists - 1)) if lists > 1 else 1), lists
