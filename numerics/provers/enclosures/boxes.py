"""Boxes for branch and bound: the ranges of several variables with exact rational ends, and the
rules by which a range is cut, finite or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import sympy as sp
from flint import arb, fmpq

from numerics.provers.enclosures.interval import INF, NINF, Iv, down, up
from numerics.rationals import flint_rational, fraction, sympy_rational

__all__ = ["Box", "Side", "centre", "describe", "halves", "hull", "middle", "towards", "width"]

End: TypeAlias = Any  # an fmpq, or None where the range is infinite
#: No range is cut farther out than this, nor into parts shorter than its reciprocal: an inequality
#: that is undecided there will not be decided by cutting.
FARTHEST = fmpq(2**300)


@dataclass(frozen=True, slots=True)
class Side:
    """The range of one variable in a box: rational ends, None where it is infinite, whether the
    ends are left out, and whether the variable takes whole numbers only.
    """

    lo: End
    hi: End
    lo_open: bool = False
    hi_open: bool = False
    integer: bool = False

    @property
    def point(self) -> bool:
        return self.lo is not None and self.lo == self.hi

    @property
    def infinite(self) -> bool:
        return self.lo is None or self.hi is None

    def iv(self, scale: fmpq | int = 1, shift: fmpq | int = 0) -> Iv:
        """The enclosure of ``shift + scale*x``, exact before it is rounded."""
        ends = (None if e is None else arb(shift + scale * e) for e in (self.lo, self.hi))
        if scale > 0:
            lo, hi = ends
            return Iv(
                NINF if lo is None else down(lo), INF if hi is None else up(hi), self.lo_open, self.hi_open
            )
        hi, lo = ends
        return Iv(NINF if lo is None else down(lo), INF if hi is None else up(hi), self.hi_open, self.lo_open)

    def contains(self, q: fmpq | Fraction) -> bool:
        """Whether the number `q` is one of the values."""
        q = flint_rational(q) if isinstance(q, Fraction) else q
        if self.integer and int(q.q) != 1:
            return False
        above = self.lo is None or q > self.lo or (q == self.lo and not self.lo_open)
        return above and (self.hi is None or q < self.hi or (q == self.hi and not self.hi_open))

    def gaps(self, x: sp.Expr) -> list[tuple[sp.Expr, bool]]:
        """The distances of `x` from the finite ends, none of which is negative in the range, and
        whether it is positive there.
        """
        below = [] if self.lo is None else [(x - sympy_rational(self.lo), self.lo_open)]
        return below if self.hi is None else [*below, (sympy_rational(self.hi) - x, self.hi_open)]


Box: TypeAlias = tuple[Side, ...]


def middle(s: Side) -> fmpq:
    """Where to cut a range: in the middle, but geometrically towards infinity and towards an end at
    0, where functions vary by the order of their argument.
    """
    lo, hi = s.lo, s.hi
    if lo is None and hi is None:
        return fmpq(0)
    if hi is None:
        return fmpq(1) if lo < 1 else 2 * lo if lo < 2**12 else lo * lo
    if lo is None:
        return fmpq(-1) if hi > -1 else 2 * hi if hi > -(2**12) else -hi * hi
    if s.lo_open and lo == 0:
        return hi / 4
    if s.hi_open and hi == 0:
        return lo / 4
    if lo > 0 and hi > 8 * lo:
        return 2 * lo
    if hi < 0 and lo < 8 * hi:
        return 2 * hi
    return (lo + hi) / 2


def centre(box: Box) -> tuple[Fraction, ...]:
    """A rational point of a box to look for counterexamples at."""
    out = []
    for s in box:
        q = s.lo if s.point else middle(s)
        q = q if not s.integer else fmpq(int(q.p) // int(q.q))
        out.append(fraction(q))
    return tuple(out)


def halves(s: Side) -> tuple[Side, Side] | None:
    """Two parts, which for whole numbers share no value; None where cutting has gone far enough."""
    if s.point:
        return None
    m = middle(s)
    if abs(m) > FARTHEST or (not s.infinite and s.hi - s.lo < 1 / FARTHEST):
        return None
    if s.integer:
        m = fmpq(int(m.p) // int(m.q))
        m = s.hi - 1 if s.hi is not None and m >= s.hi else m
        return Side(s.lo, m, integer=True), Side(m + 1, s.hi, integer=True)
    return Side(s.lo, m, s.lo_open, False), Side(m, s.hi, False, s.hi_open)


def hull(s: Side, p: fmpq) -> Side:
    """The smallest range around a range and a number."""
    lo, lo_open = (p, False) if s.lo is not None and p <= s.lo else (s.lo, s.lo_open)
    hi, hi_open = (p, False) if s.hi is not None and p >= s.hi else (s.hi, s.hi_open)
    return Side(lo, hi, lo_open, hi_open)


def towards(s: Side, lower: bool) -> Side | None:
    """A small part of a range next to its lower or upper end: the end itself if it is attained,
    else close to it or far out.
    """
    end, is_open = (s.lo, s.lo_open) if lower else (s.hi, s.hi_open)
    other = s.hi if lower else s.lo
    if end is not None and not is_open:
        return Side(end, end, integer=s.integer)
    if end is not None:
        gap = fmpq(1) if other is None else abs(other - end)
        if gap < 1 / FARTHEST:
            return None
        near = end + (gap if lower else -gap) / 2**16
        return Side(end, near, True, False) if lower else Side(near, end, False, True)
    size = fmpq(1) if other is None else max(fmpq(1), abs(other))
    if size > FARTHEST:
        return None
    far = size * size * (-16 if lower else 16)
    far = fmpq(int(far.p) // int(far.q)) if s.integer else far
    return Side(None, far, integer=s.integer) if lower else Side(far, None, integer=s.integer)


def width(s: Side) -> float:
    """The length of the range when the line is mapped to (-1, 1) by ``x/(1 + |x|)``: it decides
    which side of a box is cut, and nothing else.
    """
    if s.point:
        return -1.0
    lo = -1.0 if s.lo is None else _squash(s.lo)
    hi = 1.0 if s.hi is None else _squash(s.hi)
    return max(hi - lo, 1e-300)


def _squash(q: fmpq) -> float:
    x = _float(q)
    return x / (1 + abs(x))


def _float(q: fmpq) -> float:
    try:
        return int(q.p) / int(q.q)
    except OverflowError:
        return 1e300 if q > 0 else -1e300


def describe(symbols: Sequence[sp.Symbol], box: Box) -> str:
    """A box in words, for messages."""
    lo = lambda s: "-oo" if s.lo is None else f"{_float(s.lo):.6g}"
    hi = lambda s: "oo" if s.hi is None else f"{_float(s.hi):.6g}"
    return ", ".join(f"{x.name} in [{lo(s)}, {hi(s)}]" for x, s in zip(symbols, box))
