"""Rows of whole numbers, which Hypothesis draws as one piece; imported where a property runs.

A tuple of Hypothesis's own strategies is made of pieces. It then spends five of six examples on
copies of an example in which one piece stands in the place of another, which for the codes of
different quantities says little. A row has no pieces, so that nearly every example of the first
half is drawn anew; the second half is driven to the worst ratio as before.
"""

from __future__ import annotations

from typing import Any

from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.strategies import SearchStrategy

__all__ = ["Row"]


class Row(SearchStrategy[Any]):
    """Whole numbers, each from a range, in which it shrinks towards 0 or the end next to it.

    Parameters
    ----------
    ranges : pair of int
        The least and the largest value of each number.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> simplest(Row((-5, 5), (3, 9)), lambda row: row[0] > 1)
    (2, 3)
    """

    def __init__(self, *ranges: tuple[int, int]) -> None:
        super().__init__()
        self.ranges = ranges

    def do_draw(self, data: ConjectureData) -> tuple[int, ...]:
        """Draw a row."""
        return tuple(data.draw_integer(least, most, shrink_towards=min(max(0, least), most)) for least, most in self.ranges)
