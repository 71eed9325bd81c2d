"""Finds constants with which a statement holds: floats choose them, `forall` shows the rest."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict, as_one
from numerics.lemmas.asymptotics.constant_statement import Quantified
from numerics.lemmas.asymptotics.defeated_constants import directions
from numerics.provers.as_written import latex, scalar
from numerics.provers.exact.exact_numbers import put, sign
from numerics.provers.inequalities import forall_without_z3 as forall
from numerics.provers.statements.search import scan
from numerics.provers.statements.statement import statement

__all__ = ["chosen"]

#: Sizes of constants that are tried, and by what the smallest that seems enough is multiplied.
SIZES = (1, 10, 100, 1000, 10**4, 10**6)
SLACKS = (1, 2, 10, 100)
#: Values of several constants that are tried in all combinations.
SIMPLE = [sp.Rational(t) for t in ("1", "2", "1/2", "4", "1/4", "10", "1/10", "100", "1/100")]
#: Choices that `forall` is asked about before it is given up.
MOST_OPEN = 3
#: What rounding may make of a gap, relative to its sides.
ROUNDING = 1e-9
#: What `forall` says of sides that it cannot show to be defined.
UNDEFINED = "so the statement may be undefined"
#: How much larger the larger side may be everywhere before the constant is not made smaller.
LOOSE = 100.0

Choice = Mapping[sp.Symbol, sp.Expr]


def chosen(
    goals: Sequence[Quantified], effort: int, most_open: int = MOST_OPEN
) -> tuple[Evidence | None, str]:
    """Evidence for all goals, which share their constants and domain, with the first constants and
    the widest part of the regime that are enough; or nothing, and what was tried.
    """
    failed: list[str] = []
    first = goals[0]
    for level in first.regime.levels:
        parts = first.regime.near(first.domain, level)
        for choice in itertools.islice(_choices(goals, parts), len(SLACKS)):
            found = _shown(goals, parts, choice, effort)
            if found.verdict.executed:
                return _told(goals, found, choice, level), ""
            if first.regime.to and UNDEFINED in found.reason:
                break  # perhaps it is defined nearer to the limit
            if found.verdict is Verdict.OPEN:
                failed.append(f"with {_words(first, choice)}: {found.reason}")
            if len(failed) == most_open:
                return None, failed[0]
    return None, failed[0] if failed else "no constants were found with which it seems to hold"


def _shown(goals: Sequence[Quantified], parts: Sequence[Any], choice: Choice, effort: int) -> Evidence:
    """All goals in all parts of the domain, or the first that is not shown."""
    out: list[Evidence] = []
    empty: ValueError | None = None
    for domain in parts:
        for q in goals:
            sides = [sp.sympify(e).xreplace(dict(choice)) for e in (q.lhs, q.rhs)]
            try:
                found = forall(sides[0], q.op, sides[1], domain, where=q.where, effort=effort)
            except ValueError as fault:
                if not q.regime.to or "no point meets" not in str(fault):
                    raise
                empty = fault  # the hypotheses may leave one side of the limit
                break
            if not found.verdict.executed:
                return found
            out += [found, *_defined(q, sides, domain, choice, effort)]
            if not out[-1].verdict.executed:
                return out[-1]
    if not out and empty is not None:
        raise empty
    return as_one(*out).replace(steps=tuple(dict.fromkeys(s for e in out for s in e.steps)))


def _defined(
    q: Quantified, sides: Sequence[sp.Expr], domain: Any, choice: Choice, effort: int
) -> Iterator[Evidence]:
    """What `forall` does not see, because it was lost when the constants were put in."""
    seen = {c for e in sides for c in scalar(e).conditions}
    for g, kind in {(put(g, choice), kind) for g, kind in q.needs} - seen:
        if kind == "!=":
            yield forall(g**2, ">", 0, domain, where=q.where, effort=effort)
        elif not (g.is_number and sign(g) == 1):
            yield forall(g, kind, 0, domain, where=q.where, effort=effort)


def _told(goals: Sequence[Quantified], found: Evidence, choice: Choice, level: int) -> Evidence:
    q = goals[0]
    constants = ", ".join(f"${latex(c)} = {latex(v)}$" for c, v in choice.items())
    since = [f"from {q.regime.words(level)} on"] if q.regime.to else []
    return found.replace(
        checked=q.checked,
        covered=", ".join([q.covered, f"with {_words(q, choice)}", *since]).replace("$", ""),
        assumes=q.assumes,
        vacuous=q.st.vacuous,
        steps=(", ".join([constants, *since]), *found.steps),
    )


def _words(q: Quantified, choice: Choice) -> str:
    return ", ".join(f"{c} = {v}" for c, v in choice.items())


def _choices(goals: Sequence[Quantified], parts: Sequence[Any]) -> Iterator[Choice]:
    """Constants with which floats find no counterexample."""
    q = goals[0]
    for ways in directions(q):
        at = lambda t, ways=ways: {c: sp.sympify(t) ** w for c, w in zip(q.constants, ways)}
        for size in SIZES:
            ratio = _ratio(goals, parts, at(size))
            if ratio is None:
                continue
            sharp = _simple(size / ratio) if 1 < ratio < LOOSE and len(q.constants) == 1 else Fraction(size)
            sizes = dict.fromkeys(min(sharp, Fraction(size)) * s for s in SLACKS)
            yield from (at(sp.Rational(t.numerator, t.denominator)) for t in sizes)
            return
    if len(q.constants) == 2:
        for values in itertools.product(SIMPLE, repeat=2):
            choice = dict(zip(q.constants, values))
            if _ratio(goals, parts, choice) is not None:
                yield choice


def _ratio(goals: Sequence[Quantified], parts: Sequence[Any], choice: Choice) -> float | None:
    """How much larger the larger side is everywhere, as far as a search tells; None if the
    statement fails somewhere.
    """
    if any(_fails(q, choice) for q in goals):
        return None
    ratio = np.inf
    for domain, q in itertools.product(parts, goals):
        sides = [sp.sympify(e).xreplace(dict(choice)) for e in (q.lhs, q.rhs)]
        try:
            seen = scan(statement(sides[0], q.op, sides[1], domain, q.where))
        except ValueError:  # a side is undefined with these constants
            return None
        if seen.witness is not None:
            return None
        ratio = min(ratio, seen.ratio or 1.0)
    return float(ratio) if np.isfinite(ratio) else 1.0


def _fails(q: Quantified, choice: Choice) -> bool:
    """Whether it seems to fail on the curves: by more than what rounding explains, or far out by
    enclosures.
    """
    t = q.table
    values = dict(zip(q.fresh, (float(choice[c]) for c in q.constants)))
    small, big = (t.values(e, values) for e in (q.st.small, q.st.big))
    with np.errstate(all="ignore"):
        bad = big - small < -ROUNDING * (np.abs(small) + np.abs(big) + 1e-6)
    bad &= t.clear & np.isfinite(small) & np.isfinite(big)
    if bad.any() or not q.regime.to:
        return bool(bad.any())
    gap = put(q.st.difference, {x: choice[c] for c, x in zip(q.constants, q.fresh)})
    rows = np.flatnonzero(t.met[:, -8:].all(1))[:2]
    return any(v < 0 for row in rows for v in t.far(int(row), gap))


def _simple(value: float) -> Fraction:
    """A simple rational number that is not smaller, unless it is as good as equal."""
    near = Fraction(value).limit_denominator(20)
    if abs(float(near) - value) <= 1e-7 * value:
        return near
    for d in (1, 2, 3, 4, 5, 8, 10, 100, 1000):
        up = Fraction(ceil(value * d), d)
        if float(up) <= 1.1 * value:
            return up
    size = 10.0 ** np.floor(np.log10(value))
    return Fraction(str(ceil(value / size))) * Fraction(10) ** int(np.floor(np.log10(value)))
