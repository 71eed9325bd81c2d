"""Equations for `identity` and for matrices; mpmath judges at numbers as symbols declare."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

from numerics.evidence import Evidence
from numerics.provers import identity
from numerics.provers.eigenbasis import delta, entrywise, l_i, l_j, m_i, p_i, p_j
from tests.numerics.provers.soundness.case import accepted
from tests.numerics.provers.soundness.values import Function, Out

__all__ = ["Entries", "Equation", "values"]

R, I = sp.Rational, sp.I
_ROOTS = (sp.sqrt(2), -sp.sqrt(3), sp.pi, -sp.E, R(1, 3) + sp.sqrt(5), 1 / sp.pi)
_POOL = [
    *map(sp.Integer, (2, 3, 1, -1, 5, -2, 4, -3, 6, 7, -4, 9, 0)),
    *(R(p, q) for p, q in ((1, 2), (-1, 2), (3, 7), (-5, 3), (7, 2), (9, 4))),
    *_ROOTS,
    *(I, -2 * I, I / 3, 1 + I, 2 - 3 * I, -R(1, 2) + I / 5, -1 - I, sp.sqrt(2) * I),
]


@cache
def values(symbol: sp.Symbol) -> list[sp.Expr]:
    """Numbers that are all that a symbol is declared to be, by what SymPy knows of numbers."""
    wanted = [(f"is_{k}", w) for k, w in symbol.assumptions0.items() if k != "commutative"]
    return [v for v in _POOL if all(getattr(v, name) is w for name, w in wanted)]


@dataclass
class Equation:
    """``lhs = rhs`` under what the symbols assume and ``given``; `true` where that is known."""

    lhs: Any
    rhs: Any
    given: Sequence[sp.Expr] = ()
    true: bool | None = None
    functions: tuple[tuple[sp.Expr, sp.Expr], ...] = ()  # a choice for undefined functions

    def ask(self, effort: int) -> Evidence:
        return identity(self.lhs, self.rhs, given=self.given)

    def fault(self, e: Evidence, rng: random.Random) -> str:
        if accepted(e) and self.true is not True:
            at = self.difference(rng)
            if at is not None:
                return f"{e.verdict.value}, but the sides differ at {at}: {self}"
        if e.verdict.value == "REFUTED":
            seen = dict(e.witness)
            return f"REFUTED at {seen}, but it is true: {self}" if self.true else self.witness_fault(seen)
        return ""

    def symbols(self) -> list[sp.Symbol]:
        return sorted(sp.sympify(self.lhs).free_symbols | sp.sympify(self.rhs).free_symbols, key=str)

    def differs(self, point: dict[sp.Symbol, Any]) -> bool | None:
        """Whether the two sides surely differ at a point; None where one of them has no value."""
        sides = [self._chosen(side) for side in (self.lhs, self.rhs)]
        try:
            if any(not s.is_commutative for s in point):
                a, b = (Function(side, list(point))(*point.values()) for side in sides)
                return bool(mpmath.norm(a - b) > 1e-20)
            a, b = (Function(side.xreplace(point), ()) for side in sides)
            for digits in (40, 120):
                low, high = (a(digits=d) - b(digits=d) for d in (digits, 2 * digits))
                if abs(low - high) < abs(high) / 1000:
                    return True
            return False
        except Out:
            return None

    def _chosen(self, side: Any) -> sp.Expr:
        side = sp.sympify(side)
        for f, choice in self.functions:
            side = side.replace(f, sp.Lambda(sp.Symbol("_t"), choice))
        return side.doit() if self.functions else side

    def difference(self, rng: random.Random) -> str | None:
        """A point that meets every assumption and side condition, and at which the sides differ."""
        names = self.symbols()
        for _ in range(12):
            if any(not s.is_commutative for s in names):
                point: dict[sp.Symbol, Any] = {
                    s: mpmath.matrix([[rng.randint(-3, 3) for _ in "ab"] for _ in "ab"]) for s in names
                }
            else:
                if not all(map(values, names)):
                    return None
                point = {s: rng.choice(values(s)) for s in names}
            if self.given and not self._solved(point, rng):
                continue
            if self.differs(point):
                return str(point)
        return None

    def _solved(self, point: dict[sp.Symbol, Any], rng: random.Random) -> bool:
        """Whether the side condition could be met, by a change of one linear variable."""
        (g,) = self.given
        for s in sorted(g.free_symbols, key=str):
            found = sp.Poly(g.xreplace({k: v for k, v in point.items() if k != s}), s)
            if found.degree() == 1:
                point[s] = sp.simplify(-found.nth(0) / found.nth(1))
                return all(getattr(point[s], f"is_{k}") is w for k, w in s.assumptions0.items())
        return False

    def witness_fault(self, seen: dict[str, Any]) -> str:
        if any(side.has(AppliedUndef, sp.Derivative) for side in (self.lhs, self.rhs)):
            return ""
        point = {s: sp.sympify(str(seen[str(s)])) for s in self.symbols()}
        for s, v in point.items():
            if any(getattr(v, f"is_{k}") is (not w) for k, w in s.assumptions0.items()):
                return f"the witness {seen} is not what {s} is declared to be ({s.assumptions0}): {self}"
        for g in self.given:
            if sp.simplify(g.xreplace(point)) != 0:
                return f"the witness {seen} does not meet the side condition: {self}"
        return f"the sides are equal at the witness {seen}: {self}" if self.differs(point) is False else ""

    def __str__(self) -> str:
        kinds = {str(s): dict(s._assumptions_orig) for s in self.symbols()}
        return f"identity({self.lhs}, {self.rhs}, given={list(self.given)}) with {kinds}"


@dataclass
class Entries:
    """An equation between entries of products of matrices, judged on a spectrum with a kernel."""

    lhs: sp.Expr
    rhs: sp.Expr

    def ask(self, effort: int) -> Evidence:
        return entrywise(self.lhs, self.rhs)

    def fault(self, e: Evidence, rng: random.Random) -> str:
        equal = True
        others = sorted((self.lhs - self.rhs).free_symbols - {l_i, l_j, p_i, p_j, m_i, delta}, key=str)
        outside = [(R(0), R(0), R(1)), (R(0), R(0), R(2))]
        spectrum = [outside[0], (R(3), R(1, 3), R(5, 2)), (R(2), R(1, 2), R(7, 3)), outside[1]]
        for i, (a, b, m) in enumerate(spectrum):
            for j, (c, d, _) in enumerate(spectrum):
                point = {l_i: a, p_i: b, m_i: m, l_j: c, p_j: d, delta: sp.Integer(i == j)}
                point |= {s: R(k + 2, 3) for k, s in enumerate(others)}
                left, right = (Function(side.xreplace(point), ())() for side in (self.lhs, self.rhs))
                equal = equal and left == right
        if accepted(e) and not equal:
            return f"{e.verdict.value}, but entries differ: entrywise({self.lhs}, {self.rhs})"
        wrong = e.verdict.value == "REFUTED" and equal
        return f"REFUTED, but every entry agrees: entrywise({self.lhs}, {self.rhs})" if wrong else ""
