"""One event within another."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import D_, X_, Y_, chain
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.terms import Op, Term, term
from numerics.derivations.kernel.theorems import Theorem


@cache
def scaled() -> Theorem:
    """1{x >= 0} <= 1{D x >= 0} for a positive D: on the first event D x is not negative."""
    first = Op("ind", (X_,))
    line = arithmetic(first * Op("ind", (first * Y_,)), "<=", Op("ind", (Y_,)))
    line = instantiate(line, {Y_: X_ * D_})
    positive = arithmetic(0, "<=", first * (X_ * D_))
    sure = gcongr(Op("ind", (term(0),)), positive)
    return chain(first, first * sure.lhs, gcongr(first * sure.lhs, sure), line)


def within(u: Term, v: Term, factor: Term, *same: Theorem) -> Theorem:
    """1{u >= 0} <= 1{v >= 0}, where v is u times a positive factor, by what is given."""
    line = instantiate(scaled(), {X_: u, D_: factor})
    steps = (gcongr(line.rhs, *same),) if same else ()
    return chain(Op("ind", (u,)), line, *steps, Op("ind", (v,)))
