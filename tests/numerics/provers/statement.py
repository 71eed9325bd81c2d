"""A random statement for the prover: its two sides, and the range of every variable."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import Closed, Integers, forall

R, oo = sp.Rational, sp.oo
X, Y, Z = sp.symbols("x y z", real=True)


@dataclass(frozen=True)
class Range:
    """Ends (None is infinite), whether they are attained, whether only whole numbers count."""

    lo: Fraction | None
    hi: Fraction | None
    closed: bool = False
    integer: bool = False

    def spec(self) -> Any:
        lo, hi = -oo if self.lo is None else R(self.lo), oo if self.hi is None else R(self.hi)
        return Integers(lo, hi) if self.integer else Closed(lo, hi) if self.closed else (lo, hi)

    def contains(self, v: Fraction) -> bool:
        attained = self.closed or self.integer
        above = self.lo is None or v > self.lo or (attained and v == self.lo)
        below = self.hi is None or v < self.hi or (attained and v == self.hi)
        return above and below and (not self.integer or v.denominator == 1)

    def at(self, s: np.ndarray) -> np.ndarray:
        """[-1, 1] onto the range, logarithmically towards its ends."""
        with np.errstate(all="ignore"):
            if self.lo is not None and self.hi is not None:
                lo, hi = float(self.lo), float(self.hi)
                v = np.where(
                    s < 0,
                    lo + (hi - lo) / 2 * 10.0 ** (12 * s * np.abs(s)),
                    hi - (hi - lo) / 2 * 10.0 ** (-12 * s * np.abs(s)),
                )
                v = np.where(np.abs(s) < 0.8, lo + (hi - lo) * (s + 0.8) / 1.6, v)
            elif self.lo is not None:
                v = float(self.lo) + 10.0 ** (4 * s)
            elif self.hi is not None:
                v = float(self.hi) - 10.0 ** (4 * s)
            else:
                v = np.sinh(9 * s)
        return np.round(v) if self.integer else v

    def exact(self, v: float) -> Fraction | None:
        q = Fraction(round(v)) if self.integer else Fraction(v)
        return q if self.contains(q) else None

    def ends(self) -> list[Fraction]:
        own = [e for e in (self.lo, self.hi) if e is not None]
        near = [e + d * Fraction(1, 10**k) for e in own for d in (1, -1) for k in (0, 2, 6, 12)]
        far = [Fraction(s * n) for n in (1, 2, 3, 10, 100) for s in (1, -1)] + [Fraction(0), Fraction(1, 2)]
        return [q for q in dict.fromkeys([*own, *near, *far]) if self.contains(q)]


@dataclass(frozen=True)
class Random:
    """A random statement, with the data to rebuild it."""

    small: sp.Expr
    big: sp.Expr
    strict: bool
    ranges: dict[sp.Symbol, Range]
    where: tuple[tuple[sp.Expr, str, sp.Expr], ...]

    def ask(self, effort: int, via: dict[sp.Symbol, Any] | None = None) -> Evidence:
        domain = {s: r.spec() for s, r in self.ranges.items()}
        op = "<" if self.strict else "<="
        return forall(self.small, op, self.big, domain, where=self.where, via=via, effort=effort)

    def __str__(self) -> str:
        spec = {str(s): r.spec() for s, r in self.ranges.items()}
        op = "<" if self.strict else "<="
        return f"forall({self.small}, {op}, {self.big}, {spec}, where={list(self.where)})"
