"""The work that a prover may do before it answers OPEN, counted in steps, so that no verdict
depends on the clock. A step is the enclosure of one node of a compiled expression on one box.
Compiling a node and trying the exact engines count as many steps as take that long on average. A
million steps are two to twenty seconds of one processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["COMPILE", "CONSEQUENCES", "EXACT", "Effort"]

COMPILE = 100  # steps that compiling one node of an expression counts for
EXACT = 2000  # steps that one attempt of the exact engines counts for
CONSEQUENCES = 30_000  # steps that a search for a combination of hypotheses counts for


class Effort:
    """A number of steps, `limit`, of which engines take their share.

    >>> effort = Effort(10)
    >>> effort.spent += 11
    >>> effort.over
    True
    """

    __slots__ = ("left_apart", "limit", "spent")

    def __init__(self, limit: int) -> None:
        self.limit, self.spent = limit, 0
        self.left_apart = limit  # steps that are counted by themselves

    @property
    def over(self) -> bool:
        return self.spent > self.limit

    @contextmanager
    def half(self) -> Iterator[None]:
        """Allow half of what is left inside the block, and keep the rest for what follows."""
        limit = self.limit
        self.limit = (self.spent + limit) // 2
        try:
            yield
        finally:
            self.limit = limit

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Count the steps inside the block, and all such blocks, by themselves: they may be as many
        again, so that what has always been tried does not want for steps.
        """
        limit, spent = self.limit, self.spent
        self.limit = spent + self.left_apart
        try:
            yield
        finally:
            self.left_apart = max(0, self.limit - self.spent)
            self.limit, self.spent = limit, spent
