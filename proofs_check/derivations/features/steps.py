"""Small steps that derivations of this room have in common; none of them is trusted."""

from __future__ import annotations

from numerics.derivations.derived import chain
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import Number, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem

__all__ = ["above", "added", "both_ways", "cancelled", "gap", "ind", "product", "scaled", "times"]

X_, Y_ = (Variable(name, range=NONNEGATIVE) for name in ("left_", "right_"))


def ind(e: Term) -> Term:
    """1 where the term is at least 0."""
    return Op("ind", (e,))


def above(e: Term) -> Term:
    """1 where the term is positive."""
    return Op("above", (e,))


def product(X: Term, Y: Term, *given: Theorem) -> Theorem:
    """0 <= X Y for terms of which `given` shows that they are not negative."""
    return instantiate(arithmetic(0, "<=", X_ * Y_), {X_: X, Y_: Y}, *given)


def gap(thm: Theorem) -> Theorem:
    """From X <= Y to 0 <= Y - X; both sides are doubled, so that no side is one variable."""
    X, Y = thm.lhs, thm.rhs
    doubled = thm if isinstance(X, Number) else gcongr(2 * X, thm)
    return arithmetic(0, "<=", Y - X, doubled, hide=tuple(e for e in (X, Y) if not isinstance(e, Number)))


def times(c: Term, thm: Theorem, *given: Theorem) -> Theorem:
    """From X <= Y to c X <= c Y, where `given` shows that c is not negative."""
    X, Y = thm.lhs, thm.rhs
    apart = chain(product(c, Y - X, *given, gap(thm)), c * Y - c * X)
    return arithmetic(c * X, "<=", c * Y, apart, hide=(c * X, c * Y))


def scaled(c: Term, thm: Theorem) -> Theorem:
    """From X == Y to c X == c Y."""
    return arithmetic(c * thm.lhs, "==", c * thm.rhs, thm, hide=(c, thm.lhs, thm.rhs))


def cancelled(c: Term, thm: Theorem, X: Term, Y: Term, positive: Theorem) -> Theorem:
    """From c X <= c Y to X <= Y, where a premise says 0 < c."""
    return arithmetic(
        X, "<=", Y, positive, chain(c * X, thm, c * Y), hide=(c, X) if isinstance(Y, Number) else (c, Y)
    )


def added(thm: Theorem, Z: Term) -> Theorem:
    """From X <= Y to X + Z <= Y + Z."""
    X, Y = thm.lhs, thm.rhs
    hidden = tuple(e for e in (X, Y, Z) if not isinstance(e, Number))
    return arithmetic(X + Z, "<=", Y + Z, gap(thm), hide=hidden)


def both_ways(up: Theorem, down: Theorem) -> Theorem:
    """From X <= Y and Y <= X to X == Y."""
    X, Y = up.lhs, up.rhs
    apart = X - Y
    more, less = chain(gap(down), apart), chain(gap(up), -apart)
    first = arithmetic(apart, "<=", 0, less, hide=(apart,))
    second = arithmetic(-apart, "<=", 0, more, hide=(apart,))
    none = arithmetic(apart, "==", 0, first, second, hide=(apart,))
    return chain(X, Y + apart, arithmetic(Y + apart, "==", Y, none, hide=(apart, Y)))
