"""The questions that were asked of the provers, as goals for somebody else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.derivations.kernel.arithmetic import QUESTIONS
from numerics.provers.remembered import Note
from numerics.provers.statements.relation import RELATIONS
from numerics.provers.statements.statement import Integers
from numerics.second_opinion.goals import Goal, NotAsked, Relation, Span, worked_out

__all__ = ["goals_of", "questions"]


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


def _forall(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], *, where: Iterable[Any] = (), **_: Any
) -> Iterator[Goal]:
    given = [
        (h.lhs, RELATIONS[type(h)], h.rhs) if isinstance(h, sp.Rel) else h for h in where if h is not sp.true
    ]
    met = tuple((worked_out(a), o, worked_out(b)) for a, o, b in given)
    yield Goal(tuple((s, _span(r)) for s, r in domain.items()), met, worked_out(lhs), op, worked_out(rhs))


def _identity(lhs: Any, rhs: Any, *, given: Iterable[Any] = ()) -> Iterator[Goal]:
    entries = lambda side: list(side) if isinstance(side, (sp.MatrixBase, list, tuple)) else [side]
    pair = lambda g: (g.lhs, g.rhs) if isinstance(g, sp.Eq) else g if isinstance(g, tuple) else (g, 0)
    met = tuple(
        (worked_out(a), "==", worked_out(b))
        for a, b in map(pair, [given] if isinstance(given, sp.Basic) else given)
    )
    for a, b in zip(map(worked_out, entries(lhs)), map(worked_out, entries(rhs)), strict=True):
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
