"""Where variables tend to: the parts of a domain near a limit, smaller and smaller."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from flint import fmpq

from numerics.provers.as_written import latex
from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.statement import Integers, side_of
from numerics.rationals import flint_rational, sympy_rational
from theory.inputs.kinds import check_kind

__all__ = ["LEVELS", "Regime", "from_one_side", "given", "regime_of"]

#: What "large" may mean; "small" is its reciprocal.
LEVELS = (1, 2, 10, 100, 1000)


@dataclass(frozen=True)
class Regime:
    """What each variable tends to, oo, -oo or a rational number, and from which of its sides."""

    to: Mapping[sp.Symbol, sp.Expr]
    ways: Mapping[sp.Symbol, tuple[int, ...]]

    def near(self, domain: Mapping[sp.Symbol, Any], level: int) -> list[dict[sp.Symbol, Any]]:
        """The domain as near to the limit as a level says; one for each choice of sides."""
        parts = []
        for x, range_ in domain.items():
            side = side_of(x, range_)
            parts.append(
                [given(_near(side, self.to[x], way, level)) for way in self.ways[x]]
                if x in self.to
                else [range_]
            )
        return [dict(zip(domain, chosen)) for chosen in itertools.product(*parts)]

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels at which something is to be tried: one, if nothing tends anywhere."""
        return LEVELS if self.to else LEVELS[:1]

    @property
    def latex(self) -> str:
        return ",\\; ".join(rf"{latex(x)} \to {latex(a)}" for x, a in self.to.items())

    def words(self, level: int) -> str:
        """From where on something holds at a level."""
        return ", ".join(self._from(x, a, level) for x, a in self.to.items())

    def _from(self, x: sp.Symbol, a: sp.Expr, level: int) -> str:
        if a.is_infinite:
            return rf"$\{'ge' if a == sp.oo else 'le'} {level if a == sp.oo else -level}$".replace(
                "$", f"${latex(x)} ", 1
            )
        return rf"$0 < |{latex(x - a)}| \le {latex(sp.Rational(1, level))}$"


def regime_of(regime: Mapping[sp.Symbol, Any] | None, domain: Mapping[sp.Symbol, Any]) -> Regime:
    """Read what variables tend to; a ValueError where a range does not reach its limit, or a whole
    variable is to come near a number.
    """
    check_kind(Mapping, domain=domain, regime=regime or {})
    to, ways = {}, {}
    for x, limit in (regime or {}).items():
        if x not in domain:
            raise ValueError(f"{x} tends to {limit}, but has no range; give one in the domain")
        to[x] = a = _limit(x, limit)
        range_ = side_of(x, domain[x])
        ways[x] = tuple(w for w in (1, -1) if _reaches(range_, a, w))
        if a.is_infinite:
            ways[x] = ways[x][:1]
        if not ways[x]:
            raise ValueError(
                f"{x} does not come near {a} in its range {domain[x]}; give it a range that reaches the limit"
            )
    return Regime(to, ways)


def from_one_side(range_: Any, x: sp.Symbol, limit: Any, side: str) -> Any:
    """The part of a range that lies above ("+") or below ("-") a limit; a ValueError if there is
    none.
    """
    a, whole = _limit(x, limit), side_of(x, range_)
    way = 1 if side == "+" else -1
    if a.is_infinite or not _reaches(whole, a, way):
        raise ValueError(
            f"{x} does not come near {a} from the side {side!r} in its range {range_}; leave it out"
        )
    q = flint_rational(a)
    return given(replace(whole, lo=q, lo_open=True) if way > 0 else replace(whole, hi=q, hi_open=True))


def _limit(x: sp.Symbol, limit: Any) -> sp.Expr:
    if isinstance(limit, (str, bool, float)):
        raise TypeError(f"{x} tends to {limit!r}; write oo, -oo or a rational number, such as Rational(1, 2)")
    a = sp.sympify(limit)
    if not (isinstance(a, sp.Expr) and (a in (sp.oo, -sp.oo) or a.is_Rational)):
        raise ValueError(
            f"{x} tends to {a}, which is neither oo, -oo nor a rational number; write the limit as one "
            f"of them, and another variable for {x} if need be"
        )
    return a


def _reaches(side: Side, a: sp.Expr, way: int) -> bool:
    """Whether a range has numbers next to `a`, above it (1) or below it (-1)."""
    if a.is_infinite:
        return (side.hi if a == sp.oo else side.lo) is None
    q = flint_rational(a)
    below = side.lo is None or side.lo < q or (way > 0 and side.lo == q)
    above = side.hi is None or side.hi > q or (way < 0 and side.hi == q)
    return below and above and not side.integer


def _near(side: Side, a: sp.Expr, way: int, level: int) -> Side:
    """The part of a range that is near `a`, which is not in it."""
    if a == sp.oo:
        return (
            side if side.lo is not None and side.lo >= level else replace(side, lo=fmpq(level), lo_open=False)
        )
    if a == -sp.oo:
        return (
            side
            if side.hi is not None and side.hi <= -level
            else replace(side, hi=fmpq(-level), hi_open=False)
        )
    q, end = flint_rational(a), flint_rational(a) + fmpq(way, level)
    if way > 0:
        far = {"hi": end, "hi_open": False} if side.hi is None or end < side.hi else {}
        return replace(side, lo=q, lo_open=True, **far)
    far = {"lo": end, "lo_open": False} if side.lo is None or end > side.lo else {}
    return replace(side, hi=q, hi_open=True, **far)


def given(side: Side) -> Any:
    """A range as a caller of `forall` writes it."""
    lo = -sp.oo if side.lo is None else sympy_rational(side.lo)
    hi = sp.oo if side.hi is None else sympy_rational(side.hi)
    if side.integer:
        return Integers(lo, hi)
    return sp.FiniteSet(lo) if lo == hi else sp.Interval(lo, hi, side.lo_open, side.hi_open)
