"""Derived rules: textbook inequalities as short programs over the rules, none of them trusted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.flows import up_to
from numerics.derivations.kernel.rules import (
    arithmetic,
    assume,
    equal,
    gcongr,
    instantiate,
    integrate,
    limit,
    open_event,
    trans,
    until,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, ProofError, Sort
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem

__all__ = [
    "cauchy_schwarz",
    "chain",
    "exceeds",
    "exp",
    "integrated",
    "interpolated",
    "log",
    "markov",
    "read_up_to",
    "root",
    "schwarz_of_bounds",
    "sqrt",
    "symm",
]

X_, Y_, T_ = (Variable(f"{name}_", range=REALS) for name in "XYT")
D_, S_ = (Variable(name, range=POSITIVE) for name in ("D_", "S_"))
Z_, N_ = (Variable(name, range=NONNEGATIVE) for name in ("Z_", "N_"))


def exp(u: Any) -> Term:
    return Op("exp", (term(u),))


def log(u: Any) -> Term:
    return Op("log", (term(u),))


def sqrt(u: Any) -> Term:
    return term(u) ** Fraction(1, 2)


def chain(*parts: Any) -> Theorem:
    """The theorems one after the other; terms between them, and sides that differ in form only, are
    joined by their normal forms.
    """
    out: Theorem | None = None
    for part in parts:
        step = part if isinstance(part, Theorem) else _same(part if out is None else out.rhs, part)
        if out is not None and out.rhs != step.lhs:
            out = trans(out, _same(out.rhs, step.lhs))
        out = step if out is None else trans(out, step)
    assert out is not None
    return out


def _same(lhs: Any, rhs: Any) -> Theorem:
    """Two terms with one normal form."""
    try:
        return equal(lhs, rhs)
    except ProofError as stop:
        raise ProofError(
            f"{stop}\n  fractions are joined and cancelled by arithmetic(.., '==', ..); put that between"
        ) from None


def integrated(
    kind: str,
    names: tuple[Variable, ...],
    thm: Theorem,
    lhs: Any = None,
    rhs: Any = None,
    heads: tuple[Term, ...] = (),
) -> Theorem:
    """The integral of an inequality, with its sides rewritten."""
    out = integrate(kind, names, thm, heads)
    return chain(*([] if lhs is None else [lhs]), out, *([] if rhs is None else [rhs]))


def cauchy_schwarz(
    kind: str, names: tuple[Variable, ...], X: Any, Y: Any, heads: tuple[Term, ...] = ()
) -> Theorem:
    """(int XY)^2 <= (int X^2)(int Y^2), from -2tXY - t^2 Y^2 <= X^2 at the best t."""
    X, Y = term(X), term(Y)
    XX, XY, YY = (bind(kind, names, e, heads) for e in (X**2, X * Y, Y**2))
    square = arithmetic(-2 * T_ * X_ * Y_ - T_**2 * Y_**2, "<=", X_**2)
    every = integrated(kind, names, instantiate(square, {X_: X, Y_: Y}), -2 * T_ * XY - T_**2 * YY, XX, heads)
    best = instantiate(every, {T_: -XY / (YY + D_)})
    near = arithmetic(XY**2, "<=", XX * YY + D_ * XX, best)
    return limit(near, D_, XX * YY, XX)


def schwarz_of_bounds(
    kind: str, names: tuple[Variable, ...], X: Any, Y: Any, first: Theorem, second: Theorem, a: Any, b: Any
) -> Theorem:
    """E XY <= ab for nonnegative X and Y from E X^2 <= a^2 and E Y^2 <= b^2, which also show that
    the means are finite: E XY <= (t E X^2 + E Y^2/t)/2 at the best t.
    """
    X, Y, a, b = term(X), term(Y), term(a), term(b)
    young = instantiate(arithmetic(Z_ * N_, "<=", (S_ * Z_**2 + N_**2 / S_) / 2), {Z_: X, N_: Y})
    split = (S_ * first.lhs + second.lhs / S_) / 2
    every = integrated(kind, names, young, None, split)
    every = chain(every, gcongr(split, first, second), (S_ * a**2 + b**2 / S_) / 2)
    t = (N_ + D_) / (Z_ + D_)
    best = arithmetic((t * Z_**2 + N_**2 / t) / 2, "<=", Z_ * N_ + D_ * ((Z_ + N_) / 2))
    near = chain(instantiate(every, {S_: (b + D_) / (a + D_)}), instantiate(best, {Z_: a, N_: b}))
    return limit(near, D_, a * b, (a + b) / 2)


def symm(thm: Theorem) -> Theorem:
    """Y == X from X == Y."""
    return arithmetic(thm.rhs, "==", thm.lhs, thm, hide=(thm.lhs, thm.rhs))


def root(thm: Theorem, X: Any, Y: Any) -> Theorem:
    """From A <= B, X^2 = A and B = Y^2 to X <= Y, for nonnegative Y."""
    A, B = thm.lhs, thm.rhs
    between = arithmetic(sqrt(A), "<=", sqrt(B), thm, hide=(A, B))
    return chain(arithmetic(X, "<=", sqrt(A)), between, arithmetic(sqrt(B), "<=", Y))


def markov(
    kind: str, names: tuple[Variable, ...], X: Any, bound: Theorem, t: Any, rate: Any, *given: Theorem
) -> Theorem:
    """P(X >= t) <= r from E X <= B, for X >= 0 and t > 0 with B <= r t, which `given` may show."""
    point = instantiate(arithmetic(N_ * Op("ind", (Z_ - N_,)), "<=", Z_), {Z_: X, N_: t})
    event = bind(kind, names, Op("ind", (term(X) - t,)))
    product = chain(integrated(kind, names, point, t * event, bound.lhs), bound)
    enough = chain(product, arithmetic(bound.rhs, "<=", rate * t, *given))
    return arithmetic(event, "<=", rate, arithmetic(0, "<", t, *given), enough, hide=(t,))


def exceeds(kind: str, names: tuple[Variable, ...], X: Any, bound: Theorem, rate: Any) -> Theorem:
    """P(X > B/r) <= r from E X <= B, for X >= 0 and a positive r, also where B = 0: Markov's
    inequality at B/r + eta for eta -> 0.
    """
    point = instantiate(arithmetic(Op("above", (Z_ - S_,)), "<=", Z_ / S_), {Z_: X})
    mean = integrated(kind, names, point, None, bound.lhs / S_)
    mean = instantiate(chain(mean, gcongr(mean.rhs, bound)), {S_: bound.rhs / rate + D_})
    share = instantiate(arithmetic(Z_ / (Z_ / S_ + D_), "<=", S_), {Z_: bound.rhs, S_: rate})
    return open_event(chain(mean, share), D_, names, X - bound.rhs / rate)


def interpolated(long: Theorem, short: Theorem, M: Any, x: Any, theta: Variable) -> Theorem:
    """X <= M e^{theta x} for every theta in [0, 1] from X <= M e^x and X <= M, for a positive M,
    because e^{theta x} is at least 1 where x >= 0, and at least e^x elsewhere.
    """
    X, power = long.lhs, exp(x)
    over_M = lambda thm, value: chain(
        gcongr(X / M, thm), arithmetic(thm.rhs / M, "==", value, hide=(M, power))
    )
    above, below = Op("ind", (term(x),)), Op("above", (-term(x),))
    first, second = over_M(long, power), over_M(short, 1)
    split = arithmetic(X / M, "<=", above * (X / M) + below * (X / M), second, hide=(X / M,))
    parts = (gcongr(above * (X / M), second), gcongr(below * (X / M), first))
    lemma = arithmetic(Op("ind", (X_,)) * 1 + Op("above", (-X_,)) * exp(X_), "<=", exp(theta * X_))
    least = chain(split, gcongr(split.rhs, *parts), instantiate(lemma, {X_: x}))
    back = arithmetic(X, "==", M * (X / M), short, hide=(X, M))
    return chain(back, gcongr(back.rhs, least))


def read_up_to(end: Any, thm: Theorem, horizon: Theorem) -> Theorem:
    """A theorem without its hypothesis `horizon` that all times are at most `end`, or a later
    number: both sides get the indicator that times are at most `end`. Its other hypotheses are
    kept, for all times.
    """
    if not horizon.assumptions <= thm.assumptions:
        raise ProofError(f"{thm} does not assume {horizon}; there is nothing to free it of")

    def shown(a: Assumption, times: list[Variable]) -> Theorem:
        left, right = (up_to(end, e, *times) for e in (a.lhs, a.rhs))
        kept = lambda: assume(a.name, a.lhs, a.op, a.rhs, tuple(a.every), cited=a.cited, argument=a.argument)
        given = () if a in horizon.assumptions else (kept(),)
        return arithmetic(left, a.op, right, *given, hide=(a.lhs, a.rhs) if given else ())

    timed = {
        a: [v for v in a.every if isinstance(v, Variable) and v.sort is Sort.TIME] for a in thm.assumptions
    }
    return until(thm, end, *(shown(a, times) for a, times in timed.items() if times))
