"""What z3 can be asked: goals that stand alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.symbol import Str

__all__ = ["Goal", "NotAsked", "Relation", "Span", "text", "worked_out"]

Relation = tuple[sp.Expr, str, sp.Expr]


class NotAsked(Exception):
    """What nobody here can be asked."""


@dataclass(frozen=True)
class Span:
    """The values of a variable: between two ends, each of which may be left out or be infinite
    (None); `free` if it stands for complex numbers.
    """

    lo: Fraction | None = None
    hi: Fraction | None = None
    lo_open: bool = False
    hi_open: bool = False
    whole: bool = False
    free: bool = False

    def contains(self, q: Fraction) -> bool:
        low = self.lo is None or self.lo < q or (self.lo == q and not self.lo_open)
        high = self.hi is None or q < self.hi or (self.hi == q and not self.hi_open)
        return low and high and (not self.whole or q.denominator == 1)


@dataclass(frozen=True)
class Goal:
    """``lhs op rhs`` for all values of the variables that meet what is given; `defined` says that
    both sides have to be shown to be defined there, and is not said of equations.
    """

    domain: tuple[tuple[sp.Symbol, Span], ...]
    given: tuple[Relation, ...]
    lhs: sp.Expr
    op: str
    rhs: sp.Expr
    defined: bool = True

    @property
    def algebraic(self) -> bool:
        """Whether nothing but arithmetic, roots and the larger of two occurs."""
        sides = [e for r in (*self.given, (self.lhs, self.op, self.rhs)) for e in (r[0], r[2])]
        return all(_algebraic(n) for e in sides for n in sp.preorder_traversal(e))

    @property
    def digest(self) -> str:
        """A name that is the same in every process, also for dummies."""
        names = {s: f"{s.name}#{n}" for n, (s, _) in enumerate(self.domain)}
        said = [f"{names[s]} {span}" for s, span in self.domain]
        said += [
            f"{text(a, names)} {op} {text(b, names)}"
            for a, op, b in (*self.given, (self.lhs, self.op, self.rhs))
        ]
        return hashlib.sha256("\n".join([*said, str(self.defined)]).encode()).hexdigest()[:16]


def _algebraic(e: sp.Basic) -> bool:
    known = (sp.Add, sp.Mul, sp.Max, sp.Min, sp.Abs, sp.Symbol, sp.Rational, Str, sp.UnevaluatedExpr)
    return (
        isinstance(e, known)
        or type(e).__name__ == "Computed"
        or (isinstance(e, sp.Pow) and e.exp.is_Rational is True)
    )


def text(e: sp.Basic, names: Mapping[sp.Symbol, str] = {}) -> str:
    """An expression as text, the terms of sums and products in a fixed order."""
    if not e.args:
        return names.get(e) or f"{type(e).__name__} {e}"
    parts = [text(a, names) for a in e.args]
    parts = sorted(parts) if isinstance(e, (sp.Add, sp.Mul, sp.Max, sp.Min)) else parts
    return f"{type(e).__name__}({', '.join(parts)})"


def worked_out(given: Any) -> sp.Expr:
    """A side as it is written; derivatives, finite sums and products SymPy works out."""
    e = sp.sympify(given)
    return e.doit() if e.has(sp.Derivative, sp.Subs, sp.Sum, sp.Product) else e
