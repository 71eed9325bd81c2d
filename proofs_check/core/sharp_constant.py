"""The sharp constant of a statement: one of its numbers is varied until the statement breaks, and
the last value that is accepted and the first one that is refuted are its ends. A claim gets a
control and its slack from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from numerics.evidence import Evidence, Verdict
from proofs_check.papers.sharp_constants import Ends

__all__ = ["SharpConstant", "find_sharp_constant", "simplest_between"]

#: How often the search doubles or halves the number.
DOUBLINGS = 40
#: The search in one direction ends after this many undecided values in a row, since each costs the
#: whole effort of the engine.
MOST_UNDECIDED = 3
#: Relative distance of the two ends at which the bisection stops.
RELATIVE_WIDTH = Fraction(1, 1000)


@dataclass(frozen=True, kw_only=True)
class SharpConstant:
    """The last accepted and the first refuted value of a number, with the evidence of each.
    When the engine gives up in between, they stay apart and the value that could not be decided is
    `undecided`.
    """

    accepted: Fraction
    refuted: Fraction
    beyond: Evidence
    within: Evidence
    undecided: Fraction | None = None

    @property
    def word(self) -> str:
        """``"sharp"`` if a proof stands on the accepted side and the refuted one is next to it;
        ``"reached"`` if only a family of instances does, or something in between is undecided.
        """
        return (
            "reached" if self.within.verdict is Verdict.SUPPORTED or self.undecided is not None else "sharp"
        )

    def slack(self, value: Fraction) -> float | None:
        """How far a value is from it, as a ratio: above 1 on the accepted side, below 1 on
        the refuted one.
        """
        if self.accepted <= 0 or value <= 0:
            return None
        ratio = value / self.accepted
        return float(ratio if self.refuted < self.accepted else 1 / ratio)


def simplest_between(lo: Fraction, hi: Fraction) -> Fraction:
    """The fraction of least denominator in the closed interval."""
    if lo > hi:
        raise ValueError(f"the interval [{lo}, {hi}] is empty; give its ends in increasing order")
    if lo <= 0 <= hi:
        return Fraction(0)
    if hi < 0:
        return -simplest_between(-hi, -lo)
    whole = floor(lo)
    if whole == lo:
        return Fraction(whole)
    if whole + 1 <= hi:
        return Fraction(whole + 1)
    return whole + 1 / simplest_between(1 / (hi - whole), 1 / (lo - whole))


def find_sharp_constant(
    check: Callable[[Fraction], Evidence], start: Fraction, known: Ends | None = None
) -> SharpConstant | None:
    """Bisect between accepted and refuted values of a number, after doubling and halving from
    `start`, which is not 0. None if no value within 40 doublings is refuted, or none is accepted,
    or the engine decides none near `start`. The values that are `known` from an earlier search are
    judged again, and the search is left out if nothing about them has changed.
    """
    if start == 0:
        raise ValueError("the search cannot start at 0; choose a number that can be doubled and halved")
    seen: dict[Fraction, Evidence] = {}

    def at(value: Fraction) -> Evidence:
        if value not in seen:
            seen[value] = check(value)
        return seen[value]

    if known is not None and (again := _again(at, known)) is not None:
        return again
    first = at(start)
    if first.verdict is Verdict.OPEN:
        return None
    bracket = None
    # The search steps outwards on both sides until the verdict changes; the last decided value on
    # the way is the other end of the bracket.
    ends = {Fraction(2): start, Fraction(1, 2): start}
    silent = dict.fromkeys(ends, 0)
    for k in range(1, DOUBLINGS + 1):
        for step in [s for s in ends if silent[s] < MOST_UNDECIDED]:
            value = start * step**k
            verdict = at(value).verdict
            silent[step] = silent[step] + 1 if verdict is Verdict.OPEN else 0
            if verdict is Verdict.OPEN:
                continue
            if verdict.accepted != first.verdict.accepted:
                bracket = (value, ends[step]) if verdict.accepted else (ends[step], value)
                break
            ends[step] = value
        if bracket:
            break
    if bracket is None:
        return None
    good, bad = bracket
    undecided = None
    while _apart(good, bad):
        lo, hi = sorted((good, bad))
        middle = simplest_between(lo + (hi - lo) / 4, hi - (hi - lo) / 4)
        verdict = at(middle).verdict
        if verdict.accepted:
            good = middle
        elif verdict is Verdict.REFUTED:
            bad = middle
        else:
            undecided = middle
            break
    return SharpConstant(accepted=good, refuted=bad, within=at(good), beyond=at(bad), undecided=undecided)


def _again(at: Callable[[Fraction], Evidence], known: Ends) -> SharpConstant | None:
    """The constant between ends that are known, if they still are the ends of one."""
    good, bad, undecided = known
    if undecided is None and _apart(good, bad):
        return None
    if not at(good).verdict.accepted or at(bad).verdict is not Verdict.REFUTED:
        return None
    if undecided is not None and at(undecided).verdict is not Verdict.OPEN:
        return None
    return SharpConstant(accepted=good, refuted=bad, within=at(good), beyond=at(bad), undecided=undecided)


def _apart(good: Fraction, bad: Fraction) -> bool:
    return abs(good - bad) > abs(good) * RELATIVE_WIDTH
