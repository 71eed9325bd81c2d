"""What variables stand for, which values real ones take, and what binders bind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

__all__ = [
    "KINDS",
    "NONNEGATIVE",
    "POSITIVE",
    "REALS",
    "Fault",
    "Kind",
    "ProofError",
    "Range",
    "Sort",
    "whole",
]


class ProofError(ValueError):
    """A term is malformed, or a rule does not apply: nothing is proved."""


class Fault(RuntimeError):
    """An engine below the kernel broke: nothing is proved, and nothing is said of the statement."""


class Sort(Enum):
    """What a variable stands for; a prompt is a list of `L` tokens, a normal is a standard Gaussian
    vector, a time lies in an interval that starts at 0, a step is one of 0, 1, ..., T, whatever T
    is, and a task has laws of tokens and queries. An index is any of 1, 2, ..., while a sum over
    coordinates ends at their number.
    """

    REAL = "real"
    TOKEN = "token"
    QUERY = "query"
    NORMAL = "normal"
    PROMPT = "prompt"
    INDEX = "index"
    TIME = "time"
    STEP = "step"
    TASK = "task"


@dataclass(frozen=True)
class Range:
    """A nonempty interval, or its whole numbers; None is an infinite end."""

    lo: Fraction | None = None
    hi: Fraction | None = None
    lo_open: bool = True
    hi_open: bool = True
    whole: bool = False

    def __post_init__(self) -> None:
        for end in (self.lo, self.hi):
            if end is not None and type(end) is not Fraction:
                raise ProofError(f"the end {end!r} of a range is no Fraction")
        if (
            self.lo is not None
            and self.hi is not None
            and (self.lo > self.hi or (self.lo == self.hi and (self.lo_open or self.hi_open)))
        ):
            raise ProofError("the range is empty")
        if self.whole and (
            self.lo is None or self.lo_open or self.lo.denominator != 1 or self.hi is not None
        ):
            raise ProofError("whole numbers run from a whole number to infinity")


REALS, POSITIVE, NONNEGATIVE = Range(), Range(Fraction(0)), Range(Fraction(0), lo_open=False)


def whole(least: int) -> Range:
    """The whole numbers from `least` on."""
    return Range(Fraction(least), lo_open=False, whole=True)


@dataclass(frozen=True)
class Kind:
    """What a binder binds: the sort, how many (None: one or more), and whether it needs a head, the
    prompt of a sum over positions or the number of coordinates.
    """

    sort: Sort
    count: int | None = 1
    head: Sort | None = None


KINDS: Mapping[str, Kind] = {
    "mean": Kind(Sort.TOKEN),  # over a token, of the law mu
    "query": Kind(Sort.QUERY),  # over a query, of the law nu
    "task": Kind(Sort.TASK),  # over a task
    "normal": Kind(Sort.NORMAL),  # over a Gaussian vector with independent standard coordinates
    "prompt": Kind(Sort.PROMPT),  # over a prompt of L independent tokens
    "sum": Kind(Sort.TOKEN, None, Sort.PROMPT),  # over distinct positions of a prompt
    "coordinates": Kind(Sort.INDEX, None, Sort.REAL),  # the sum over 1, .., m for each index
}
