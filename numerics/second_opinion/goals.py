"""The questions that were asked of the provers, as goals that stand alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.symbol import Str

from numerics.derivations.kernel.arithmetic import QUESTIONS
from numerics.provers.remembered import Note
from numerics.provers.statements.statement import Integers

__all__ = ["Goal", "NotAsked", "Span", "goals_of", "questions"]

Relation = tuple[sp.Expr, str, sp.Expr]
RELATIONS = {sp.Le: "<=", sp.Lt: "<", sp.Ge: ">=", sp.Gt: ">", sp.Eq: "=="}


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


def _span(given: Any) -> Span:
    """A range as callers of `forall` write it."""
    named = {
        sp.S.Naturals: Integers(1),
        sp.S.Naturals0: Integers(0),
        sp.S.Integers: Integers(-sp.oo),
        sp.S.Reals: (-sp.oo, sp.oo),
    }
    given = named.get(given, given) if isinstance(given, sp.Set) else given
    if isinstance(given, Integers):
        return Span(_end(given.lo), _end(given.hi), whole=True)
    if isinstance(given, sp.Interval):
        return Span(_end(given.start), _end(given.end), bool(given.left_open), bool(given.right_open))
    if isinstance(given, sp.FiniteSet):
        (point,) = given
        return Span(_end(point), _end(point))
    lo, hi = given
    return Span(_end(lo), _end(hi), True, True)


def _end(value: Any) -> Fraction | None:
    v = sp.sympify(value)
    return None if v in (sp.oo, -sp.oo) else Fraction(int(v.p), int(v.q))


def _assumed(s: sp.Symbol) -> Span:
    """What is assumed of a variable of an identity."""
    above, below = (0 if s.is_extended_nonnegative else None), (0 if s.is_extended_nonpositive else None)
    apart = bool(s.is_positive or s.is_negative or s.is_nonzero)
    lo, hi = (None if x is None else Fraction(0) for x in (above, below))
    return Span(lo, hi, apart, apart, bool(s.is_integer), not s.is_extended_real)


def _side(given: Any) -> sp.Expr:
    """A side as it is written; derivatives, finite sums and products SymPy works out."""
    e = sp.sympify(given)
    return e.doit() if e.has(sp.Derivative, sp.Subs, sp.Sum, sp.Product) else e


def _forall(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], *, where: Iterable[Any] = (), **_: Any
) -> Iterator[Goal]:
    given = [
        (h.lhs, RELATIONS[type(h)], h.rhs) if isinstance(h, sp.Rel) else h
        for h in where
        if h not in (True, sp.true)
    ]
    met = tuple((_side(a), o, _side(b)) for a, o, b in given)
    yield Goal(tuple((s, _span(r)) for s, r in domain.items()), met, _side(lhs), op, _side(rhs))


def _identity(lhs: Any, rhs: Any, *, given: Iterable[Any] = ()) -> Iterator[Goal]:
    entries = lambda side: list(side) if isinstance(side, (sp.MatrixBase, list, tuple)) else [side]
    pair = lambda g: (g.lhs, g.rhs) if isinstance(g, sp.Eq) else g if isinstance(g, tuple) else (g, 0)
    met = tuple(
        (_side(a), "==", _side(b)) for a, b in map(pair, [given] if isinstance(given, sp.Basic) else given)
    )
    for a, b in zip(map(_side, entries(lhs)), map(_side, entries(rhs)), strict=True):
        used = sorted(
            set().union(*(e.free_symbols for e in (a, b, *(x for r in met for x in (r[0], r[2]))))), key=str
        )
        nonzero = tuple(
            (s, "!=", sp.S.Zero) for s in used if s.is_nonzero and not (s.is_positive or s.is_negative)
        )
        yield Goal(tuple((s, _assumed(s)) for s in used), (*met, *nonzero), a, "==", b, defined=False)


def _arithmetic(
    lhs: Any, op: str, rhs: Any, where: list[Relation], domain: Mapping[Any, Any]
) -> Iterator[Goal]:
    yield Goal(
        tuple((s, _span(r)) for s, r in domain.items()), tuple(where), lhs, op, rhs, defined=op != "=="
    )


def goals_of(note: Note) -> Iterator[Goal]:
    """The goals of one note; another kind, such as an equation of matrix words or an integral, is
    `NotAsked`.
    """
    if note.who in ("forall", "identity"):
        args, kwargs = note.asked
        yield from (_forall if note.who == "forall" else _identity)(*args, **kwargs)
    elif note.who == "arithmetic":
        for question in note.asked:
            yield from _arithmetic(*question)
    elif note.who == "entrywise":
        for n in note.inner:
            if n.answer.verdict.executed:  # and no control, which is refuted
                yield from goals_of(n)
    else:
        raise NotAsked(
            {"trace_identity": "matrix words", "integral_evidence": "an integral"}.get(note.who, note.who)
        )


def questions(notes: Iterable[Note]) -> list[Note]:
    """What accepted answers rest on: the questions to the provers, and the arithmetic of all steps
    of the theorems that were proved, each once; a claim that was called has those of its own.
    """
    out: dict[int, Note] = {}
    for n in notes:
        if n.who == "proved":
            steps = (step for step in n.answer.steps() if step.rule == "arithmetic")
            out.update((id(step), Note("arithmetic", QUESTIONS[step], step)) for step in steps)
        elif n.who == "claim":
            out.update((id(inner.answer), inner) for inner in questions(n.inner))
        elif n.answer.verdict.executed:
            out[id(n.answer)] = n
    return list(out.values())
