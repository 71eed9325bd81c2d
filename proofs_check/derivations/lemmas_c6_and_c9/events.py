"""One event within another."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import D_, X_, Y_
from numerics.derivations.kernel.rules import arithmetic, instantiate
from numerics.derivations.kernel.terms import Op, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show


@cache
def scaled() -> Theorem:
    """1{x >= 0} <= 1{D x >= 0} for a positive D: on the first event D x is not negative."""
    event, inside = (Op("ind", (e,)) for e in (X_, Op("ind", (X_,)) * Y_))
    last = arithmetic(event * inside, "<=", Op("ind", (Y_,)))
    return calc(
        event,
        ("==", event * Op("ind", (term(0),))),
        ("<=", event * Op("ind", (event * (X_ * D_),)), arithmetic(0, "<=", event * (X_ * D_))),
        ("<=", Op("ind", (X_ * D_,)), instantiate(last, {Y_: X_ * D_})),
    )


def within(u: Term, v: Term, factor: Term, *same: Theorem) -> Theorem:
    """1{u >= 0} <= 1{v >= 0}, where v is u times a positive factor, by what is given."""
    return show(Op("ind", (u,)), "<=", Op("ind", (v,)), instantiate(scaled(), {X_: u, D_: factor}), *same)
