"""The last engine of `forall`: z3, where it is installed, is asked of a statement that every engine
of ours leaves open. It gives no certificate that could be checked here, so that an answer says on
whom it rests, and no claim may rest on it (`remembered.without_z3`).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from importlib.util import find_spec
from math import prod
from typing import Any, NamedTuple

import sympy as sp
from flint import fmpq

from numerics.provers.remembered import z3_may_be_asked
from numerics.provers.statements.relation import hypothesis
from numerics.provers.statements.statement import Statement
from numerics.second_opinion.goals import Goal, Span, worked_out

__all__ = ["Z3", "installed", "last_opinion"]

#: In which orders z3 takes the variables one after another, and what one question may then cost, as
#: a share of the steps. What one order never decides, another often does at once.
ORDERS = ((0, 0.1), (4, 0.3), (0, 0.5), (4, 0.8))
#: The largest product of the degrees of all roots: beyond it z3 computes with algebraic numbers for
#: minutes, and does not count that.
MOST_ROOTS = 16


class Z3(NamedTuple):
    """What z3 said: whether nothing breaks the statement, and on what that rests; or a point that
    does, in the order of the variables.
    """

    confirmed: bool
    point: tuple[Fraction, ...] = ()
    rests_on: str = ""


def installed() -> bool:
    """Whether z3 is there; it is imported when it is asked."""
    return find_spec("z3") is not None


def last_opinion(
    st: Statement, written: tuple[Any, str, Any], where: Iterable[Any], resources: int
) -> Z3 | None:
    """What z3 says of a statement as its caller wrote it, in whose hypotheses all sides are defined
    as they are in `forall`; None if it is not to be asked, or cannot be, or does not know. It is
    asked where no function but roots, Abs, Max and Min occurs: bounds of exp have long numbers,
    with which its cylinders take minutes that it does not count.
    """
    if not z3_may_be_asked() or not installed() or not (st.symbols and resources):
        return None
    from numerics.second_opinion.asking import ask, version

    lhs, op, rhs = written
    spans = tuple(
        (name, Span(_end(s.lo), _end(s.hi), s.lo_open, s.hi_open, s.integer))
        for name, s in zip(st.names, st.box)
    )
    given = tuple((worked_out(h.lhs.given), h.op, worked_out(h.rhs.given)) for h in map(hypothesis, where))
    goal = Goal(spans, given, worked_out(lhs), op, worked_out(rhs))
    if not goal.algebraic or _roots(goal) > MOST_ROOTS:
        return None
    for order, share in ORDERS:
        answer = ask(goal, max(1, int(share * resources)), order)
        if answer.word == "contradicted":
            return Z3(False, tuple(Fraction(q) for q in answer.point.values()))
        if answer.word == "confirmed":
            rests_on = (
                f"{version()} finds no point that meets the hypotheses and breaks the statement; "
                "no certificate of that was checked here"
            )
            return Z3(True, rests_on=rests_on)
    return None


def _roots(goal: Goal) -> int:
    """The product of the degrees of all roots that occur."""
    sides = (e for a, _, b in (*goal.given, (goal.lhs, goal.op, goal.rhs)) for e in (a, b))
    powers = {p for e in sides for p in e.atoms(sp.Pow) if p.exp.is_Rational}
    return prod(q for _, q in {(p.base, int(p.exp.q)) for p in powers})


def _end(q: fmpq | None) -> Fraction | None:
    return None if q is None else Fraction(int(q.p), int(q.q))
