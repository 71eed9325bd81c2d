"""Proofs for matrices of size 1 and 2: every scalar inequality to which the conclusion comes down
is given to `numerics.provers.forall`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict, as_one
from numerics.lemmas.matrices.entries import Entries, Hypothesis, R, bases
from numerics.lemmas.matrices.goals import Way, factored, needs, ways
from numerics.lemmas.matrices.values import SYMBOLIC, Singular
from numerics.lemmas.matrices.words import Sized
from numerics.provers.identities import identity
from numerics.provers.inequalities import forall_without_z3 as forall

__all__ = ["proved"]

#: Rounds of tries: what share of all steps one scalar inequality may cost, and after how many that
#: were left open a round ends. What may take fewer steps than LEAST is not tried.
ROUNDS, LEAST = ((6, 3), (2, 1)), 1000
#: The second round is for those who allow so many steps.
PATIENT = 500_000


def proved(st: Sized, effort: int) -> Evidence:
    """The conclusion at this size, for which a point that meets the hypotheses is known."""
    reasons: list[str] = []
    try:
        for share, most in ROUNDS[: (effort >= LEAST) + (effort >= PATIENT)]:
            failed = 0
            for basis in bases(st):
                entries = Entries(st, basis, failed=failed)
                said = _in_a_basis(entries, effort // share, most, reasons)
                failed = entries.failed
                if said is not None:
                    return said
                if failed >= most:
                    break
    except Singular:
        reasons.append("a matrix that is inverted is singular")
    tried = "; ".join(dict.fromkeys(reasons))[:1000]
    return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=tried or "there was no way")


def _in_a_basis(entries: Entries, effort: int, most: int, reasons: list[str]) -> Evidence | None:
    """The proof in one basis, if there is one."""
    goal = entries.st.goal
    defined = _defined(entries, effort, reasons)
    if defined is None:
        return None
    if goal.op == "==":
        equal = _equal(entries, reasons)
        return None if equal is None else _joined(entries, [*equal, *defined], "entry by entry")
    for way in ways(goal, entries):
        if entries.failed >= most:
            break
        parts = _shown(way, entries, effort, reasons)
        if parts is not None:
            return _joined(entries, [*parts, *defined], way.words)
    return None


def _asked(lhs: sp.Expr, op: str, rhs: sp.Expr, entries: Entries, way: Way, effort: int) -> Evidence:
    """One scalar inequality, with the hypotheses that are reached from its variables."""
    domain = {**entries.domain, **dict.fromkeys(way.free, R)}
    where = [h for h in (*entries.where, *way.where) if not _trivial(h) and not way.without & _symbols(h)]
    reached = lhs.free_symbols | rhs.free_symbols
    while more := {s for h in where if reached & _symbols(h) for s in _symbols(h)} - reached:
        reached |= more
    near = [h for h in where if reached & _symbols(h)]
    return forall(lhs, op, rhs, {s: r for s, r in domain.items() if s in reached}, where=near, effort=effort)


def _symbols(h: Hypothesis) -> set[Any]:
    return set(h[0].free_symbols | h[2].free_symbols)


def _trivial(h: tuple[sp.Expr, str, sp.Expr]) -> bool:
    lhs, op, rhs = h
    gap = sp.sympify(lhs - rhs)
    return (op == ">=" and bool(gap.is_nonnegative)) or (op == "==" and sp.expand(gap) == 0)


def _shown(way: Way, entries: Entries, effort: int, reasons: list[str]) -> list[Evidence] | None:
    """The inequalities of a way, if all of them are shown."""
    out: list[Evidence] = []
    for goal in way.goals:
        if goal[1] == ">=" and sp.sympify(goal[0] - goal[2]) == 0:
            continue
        goal = (factored(goal[0]), *goal[1:]) if goal[2] == 0 else goal
        said = _by_factors(goal, entries, way, effort)
        if said is None:
            whole = _asked(*goal, entries, way, effort)
            said = [whole] if whole.verdict.executed else None
            if said is None:
                entries.failed += whole.verdict is Verdict.OPEN
                reasons.append(f"{goal[0]} {goal[1]} {goal[2]}: {whole.verdict}, {whole.reason}"[:300])
                return None
        out += said
    return out or [_asked(sp.S.Zero, "<=", sp.S.Zero, entries, way, effort)]


def _by_factors(goal: Hypothesis, entries: Entries, way: Way, effort: int) -> list[Evidence] | None:
    """A product that is to be nonnegative by its factors of odd powers, if each of them is seen to
    be nonnegative.
    """
    e, op, zero = goal
    number, rest = sp.sympify(e).as_coeff_Mul()
    factors = [f.as_base_exp() for f in sp.Mul.make_args(rest)]
    if op != ">=" or zero != 0 or number < 0 or not all(n.is_Integer for _, n in factors):
        return None
    odd = [f for f, n in factors if n.is_odd]
    if len(odd) == len(factors) == 1:
        return None
    out = []
    for f in odd or [sp.S.One]:
        said = _asked(f, ">=", sp.S.Zero, entries, way, effort // 2)
        if not said.verdict.executed:
            return None
        out.append(said)
    return out


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
    return as_one(*parts).replace(
        slack=None,
        tightest={},
        slack_error=0.0,
        assumes=(),
        vacuous="",
        steps=tuple(dict.fromkeys(steps)),
        sides=(),
    )
