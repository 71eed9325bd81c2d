"""Proofs for matrices of size 1 and 2: every scalar inequality to which the conclusion comes down
is given to `numerics.provers.forall`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict, all_of
from numerics.lemmas.matrices.entries import R, Entries, bases
from numerics.lemmas.matrices.goals import Way, needs, ways
from numerics.lemmas.matrices.values import SYMBOLIC, Singular
from numerics.lemmas.matrices.words import Sized
from numerics.provers.identities import identity
from numerics.provers.inequalities import forall_without_z3 as forall

__all__ = ["proved"]

#: What a scalar inequality may cost, as a share of all steps.
SHARE = 6
#: So many ways are tried.
MOST_WAYS = 6


def proved(st: Sized, effort: int) -> Evidence:
    """The conclusion at this size, for which a point that meets the hypotheses is known."""
    reasons: list[str] = []
    try:
        for diagonal, apart in bases(st):
            entries = Entries(st, diagonal, apart)
            said = _in_a_basis(entries, effort, reasons)
            if said is not None:
                return said
    except Singular:
        reasons.append("a matrix that is inverted is singular")
    tried = "; ".join(dict.fromkeys(reasons))[:1000]
    return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=tried or "there was no way")


def _in_a_basis(entries: Entries, effort: int, reasons: list[str]) -> Evidence | None:
    """The proof in one basis, if there is one."""
    goal = entries.st.goal
    defined = _defined(entries, effort, reasons)
    if defined is None:
        return None
    if goal.op == "==":
        equal = _equal(entries, reasons)
        return None if equal is None else _joined(entries, [*equal, *defined], "entry by entry")
    for way in itertools.islice(ways(goal, entries), MOST_WAYS):
        parts = _shown(way, entries, effort, reasons)
        if parts is not None:
            return _joined(entries, [*parts, *defined], way.words)
    return None


def _asked(lhs: Any, op: str, rhs: Any, entries: Entries, way: Way, effort: int) -> Evidence:
    """One scalar inequality; only what is reached from its variables is told with it."""
    domain = {**entries.domain, **dict.fromkeys(way.free, R)}
    where = [h for h in (*entries.where, *way.where) if not _trivial(h)]
    return forall(lhs, op, rhs, domain, where=where, effort=effort // SHARE)


def _trivial(h: tuple[sp.Expr, str, sp.Expr]) -> bool:
    lhs, op, rhs = h
    gap = sp.sympify(lhs - rhs)
    return (op == ">=" and bool(gap.is_nonnegative)) or (op == "==" and sp.expand(gap) == 0)


def _shown(way: Way, entries: Entries, effort: int, reasons: list[str]) -> list[Evidence] | None:
    """The inequalities of a way, if all of them are shown."""
    out = []
    for lhs, op, rhs in way.goals:
        if op == ">=" and sp.sympify(lhs - rhs) == 0:
            continue
        said = _asked(lhs, op, rhs, entries, way, effort)
        if not said.verdict.executed:
            reasons.append(f"{lhs} {op} {rhs}: {said.verdict} {said.reason}"[:300])
            return None
        out.append(said)
    return out or [_asked(sp.S.Zero, "<=", sp.S.Zero, entries, way, effort)]


def _defined(entries: Entries, effort: int, reasons: list[str]) -> list[Evidence] | None:
    """That both sides are defined, if it is shown."""
    out = []
    for g, kind in needs(entries.st.goal, entries):
        tried = ((">",), (">=",), (">", "<"))[(">", ">=", "!=").index(kind)]
        answers = (_asked(g, op, sp.S.Zero, entries, Way(()), effort) for op in tried)
        said = next((a for a in answers if a.verdict.executed), None)
        if said is None:
            reasons.append(f"it was not shown that {g} {kind} 0, without which a side is undefined")
            return None
        out.append(said)
    return out


def _equal(entries: Entries, reasons: list[str]) -> list[Evidence] | None:
    """An equation, entry by entry."""
    goal, given = entries.st.goal, [a - b for a, op, b in entries.where if op == "=="]
    if goal.matrices:
        left, right = (list(SYMBOLIC.matrix(e, entries.at)) for e in (goal.lhs, goal.rhs))
    else:
        left, right = ([entries.put(side, goal)] for side in goal.values)
    out: list[Evidence] = []
    for a, b in zip(left, right):
        if sp.expand(a - b) == 0 and (a.is_number or b.is_number):
            continue
        said = identity(a, b, given=given)
        if said.verdict is not Verdict.PROVED:
            reasons.append(f"{a} = {b}: {said.verdict} {said.reason}"[:300])
            return None
        out.append(said)
    return out or None


def _joined(entries: Entries, parts: Sequence[Evidence], words: str) -> Evidence:
    """The conjunction, with the basis and what was shown as steps."""
    steps = [*entries.words, *([words] if words else [])]
    for p in parts:
        steps.append(f"${p.checked.rpartition(': ')[2]}$ ({p.engine})")
    said = all_of(*parts)
    return said.replace(
        slack=None, tightest={}, slack_error=0.0, assumes=(), vacuous="", steps=tuple(dict.fromkeys(steps)), sides=()
    )


