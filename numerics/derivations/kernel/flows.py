"""The rules that speak of functions of time: paths of class C^1 on an interval ``[0, tau]``.

A theorem with a variable of the sort TIME holds for all times in ``[0, tau]``, whatever tau >= 0
is: its hypotheses and its conclusion are meant on the same interval. So it may be read on a shorter
one, which is how a path is continued. Each rule is stated and proved in its docstring; the
inequality of Gronwall is derived from them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numerics.derivations.kernel.binding import bind, instantiated, opened
from numerics.derivations.kernel.sorts import NONNEGATIVE, ProofError, Sort
from numerics.derivations.kernel.terms import (
    CLOCK,
    START,
    Apply,
    Bind,
    Defined,
    Number,
    Op,
    Term,
    Variable,
    term,
    text,
)
from numerics.derivations.kernel.theorems import Assumption, Theorem, _prove, check_arbitrary, read
from numerics.derivations.kernel.values import finite, nonnegative, positive

__all__ = ["antitone", "begin", "continuation", "derivative", "every_number", "until", "up_to"]

ZERO = Number(Fraction(0))


def begin() -> Theorem:
    """``time(0) == 0``: times run from 0 on.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import begin
    >>> print(begin())
     |- time(0) == 0
    """
    return _prove(CLOCK(START), "==", ZERO, "clock")


def derivative(e: Any, t: Variable) -> Term:
    """The derivative of a finite term with respect to the time t, by the rules of calculus.

    The term is built from functions of time of the order 1, whose derivatives are continuous, by
    sums, products, exponentials, logarithms, powers that are whole or have a positive base, and
    sums over coordinates. So it is of class C^1 in t, for all values of its other variables.
    A time anywhere else, under a mean, an indicator or a largest value, is refused.
    """
    e = read(e)
    if _time(t) == START:
        raise ProofError("the time 0 does not move; differentiate at another one")
    if not finite(e):
        raise ProofError(f"{text(e)} may be infinite and has no derivative")
    return _derivative(e, t)


def _derivative(e: Term, t: Variable) -> Term:
    if t not in e.free:
        return ZERO
    if isinstance(e, Defined):
        return _derivative(e.body, t)
    if e == CLOCK(t):
        return term(1)
    if isinstance(e, Apply) and e.function.order == 1:  # t is free in it, so that it is a function of time
        return e.function.rate(*e.args)
    if isinstance(e, Bind) and e.kind == "coordinates":
        names, body = opened(e)
        return bind(e.kind, names, _derivative(body, t), e.heads)
    if isinstance(e, Op) and e.head == "add":
        return Op("add", tuple(_derivative(a, t) for a in e.args))
    if isinstance(e, Op) and e.head == "mul":
        moved = [(n, _derivative(a, t)) for n, a in enumerate(e.args) if t in a.free]
        return Op("add", tuple(Op("mul", (*e.args[:n], d, *e.args[n + 1 :])) for n, d in moved))
    if isinstance(e, Op) and e.head == "exp":
        return e * _derivative(e.args[0], t)
    if isinstance(e, Op) and e.head == "log":  # a defined term, so that its argument is positive
        return _derivative(e.args[0], t) / e.args[0]
    if isinstance(e, Op) and e.head == "pow" and isinstance(e.args[1], Number):
        base, n = e.args[0], e.args[1].value
        if n == 1:
            return _derivative(base, t)
        if positive(base) or (n.denominator == 1 and n >= 1):
            return Op("mul", (e.args[1], Op("pow", (base, Number(n - 1))), _derivative(base, t)))
    raise ProofError(f"{text(e)} has no derivative that the rules of calculus give")


def antitone(e: Any, t: Variable, rate: Theorem, since: Variable = START) -> Theorem:
    """From ``d/dt e <= 0`` at every time to ``e(t) <= e(since)`` for all times t >= since.

    A function whose derivative is never positive does not increase, by the mean value theorem; one
    whose derivative is 0 is constant. That t is later is an indicator on both sides, unless `since`
    is the time 0.

    Parameters
    ----------
    rate : Theorem
        ``derivative(e, t) <= 0``, or ``== 0``.

    Raises
    ------
    ProofError
        If the premise says something else, or an assumption fixes t.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.kernel.rules import assume, antitone
    >>> from numerics.derivations.kernel.sorts import Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> t, u = Variable("t", Sort.TIME), Function("u", (Sort.TIME,), Fraction(1))
    >>> falls = assume("u' <= 0", u.rate(t), "<=", 0, every=(t,))
    >>> print(antitone(u(t), t, falls))
    u' <= 0 |- u(t) <= u(0)
    """
    e = read(e)
    if rate.lhs != derivative(e, t) or rate.rhs != ZERO:
        raise ProofError(f"{rate} does not say that {text(derivative(e, t))} is at most 0")
    check_arbitrary(rate, (t,))
    before = instantiated(e, {t: _time(since)})
    op = "==" if rate.op == "==" else "<="
    if since == START:
        return _prove(e, op, before, "mean value theorem", (rate,))
    later = Op("ind", (CLOCK(t) - CLOCK(since),))
    return _prove(later * e, op, later * before, "mean value theorem", (rate,))


def every_number(thm: Theorem, t: Variable, c: Variable) -> Theorem:
    """A theorem that speaks of the time t only through ``time(t)``, with a number c >= 0 in place
    of ``time(t)``.

    The theorem holds on the interval ``[0, c]``, at whose end ``time(t)`` is c. Nothing else in it
    moves, and no hypothesis speaks of times, so that none can say that they end before c.

    Parameters
    ----------
    t : Variable
        The only time in the theorem.
    c : Variable
        Nonnegative, and new.

    Raises
    ------
    ProofError
        If anything but the clock depends on time, a hypothesis speaks of times, or c is not new.

    Examples
    --------
    >>> from numerics.derivations.derived import chain, exp
    >>> from numerics.derivations.kernel.rules import arithmetic, begin, every_number, antitone
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
    >>> from numerics.derivations.kernel.terms import CLOCK, Variable
    >>> t, c = Variable("t", Sort.TIME), Variable("c", range=NONNEGATIVE)
    >>> rate = arithmetic(derivative(CLOCK(t) - exp(CLOCK(t)), t), "<=", 0)
    >>> falls = antitone(CLOCK(t) - exp(CLOCK(t)), t, rate)
    >>> below = arithmetic(CLOCK(t), "<=", exp(CLOCK(t)) - 1, falls, begin())
    >>> print(every_number(below, t, c))
     |- c <= (exp(c) + (-1*1))
    """
    sides, said = (thm.lhs, thm.rhs), tuple(x for a in thm.assumptions for x in (a.lhs, a.rhs))
    clocks = {g for e in sides for g in e.functions if Sort.TIME in g.sorts}
    times = {v for e in sides for v in e.free if v.sort is Sort.TIME}
    if (
        clocks - {CLOCK}
        or times - {_time(t)}
        or t == START
        or any(v.sort is Sort.TIME for e in said for v in e.free)
    ):
        raise ProofError(
            f"{thm} knows more of the time {t} than what the clock shows, or has a hypothesis on times"
        )
    if (
        type(c) is not Variable
        or c.range != NONNEGATIVE
        or c in frozenset().union(*(e.free for e in (*sides, *said)))
    ):
        raise ProofError(f"{c} is no new nonnegative variable")
    here = (Variable("#now", Sort.TIME),)
    left, right = (instantiated(e, {CLOCK: (here, c)}) for e in sides)
    return _prove(left, thm.op, right, "every number is a time", (thm,))


def continuation(
    barrier: Assumption, t: Variable, inside: Theorem, below: Theorem, start: Theorem, thm: Theorem
) -> Theorem:
    """A theorem under the barrier "u <= R at every time" without it, from "u <= r under the
    barrier", r < R and u(0) <= R.

    Let T be the set of the times s for which u <= R on [0, s]. It contains 0, and it is closed, for
    u is continuous. At a time s in T the premises, read on [0, s], say that u(s) <= r < R, so that
    u <= R a little longer: T is open. Hence T is [0, tau], and the barrier is kept.

    Parameters
    ----------
    barrier : Assumption
        ``u(t) <= R`` for every t, with an R that does not move.
    inside : Theorem
        ``u(t) <= r``, under the barrier.
    below : Theorem
        ``r < R``, which may rest on the barrier.
    start : Theorem
        ``u(0) <= R``, without the barrier.
    thm : Theorem
        What is to be freed of the barrier, such as `inside`.

    Raises
    ------
    ProofError
        If the premises say something else, or u is not known to be continuous.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.kernel.rules import arithmetic, assume, continuation
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
    >>> from numerics.derivations.kernel.terms import START, Function, Op, Variable
    >>> t, R = Variable("t", Sort.TIME), Variable("R", range=NONNEGATIVE)
    >>> u = Function("u", (Sort.TIME,), Fraction(1))
    >>> kept = assume("u <= R", u(t), "<=", R, every=(t,))
    >>> less = assume("u(0) < R", u(START), "<", R)
    >>> inside = Op("ind", (R - u(t),))
    >>> falls = assume("u <= u(0) or u > R", inside * (u(t) - u(START)), "<=", 0, every=(t,))
    >>> inside = arithmetic(u(t), "<=", u(START), falls, kept)
    >>> (barrier,) = kept.assumptions
    >>> print(continuation(barrier, t, inside, less, arithmetic(u(START), "<=", R, less), inside))
    u <= u(0) or u > R, u(0) < R |- u(t) <= u(0)
    """
    moving = [v for v in barrier.rhs.free if v.sort is Sort.TIME and v != START]
    if (
        type(barrier) is not Assumption
        or barrier.op != "<="
        or len(barrier.every) != 1
        or moving
        or not finite(barrier.rhs)
    ):
        raise ProofError(
            f"{barrier} does not say that a function of time is at most a fixed number, at every time"
        )
    (own,) = barrier.every
    u = instantiated(barrier.lhs, {_time(own): _time(t)})
    derivative(u, t)  # refuses what is not known to be continuous
    if inside.lhs != u or (below.lhs, below.op, below.rhs) != (inside.rhs, "<", barrier.rhs):
        raise ProofError(f"{inside} and {below} do not say that {text(u)} <= r < {text(barrier.rhs)}")
    if (start.lhs, start.rhs) != (instantiated(u, {t: START}), barrier.rhs) or barrier in start.assumptions:
        raise ProofError(f"{start} does not say without the barrier that the path starts inside it")
    kept = (thm.assumptions | inside.assumptions | below.assumptions) - {barrier}
    return _prove(
        thm.lhs, thm.op, thm.rhs, "continuation", (start,), own=tuple(kept), inner=(inside, below, thm)
    )


def until(thm: Theorem, end: Any, *shown: Theorem) -> Theorem:
    """The theorem at times up to `end`, if its hypotheses on all times are shown at those.

    A theorem is read on ``[0, min(end, tau)]``. An inequality at times up to `end` has the
    indicator of these on both sides, and a strict one cannot be said so. The `end` is one number
    for all that a hypothesis says: it depends on nothing that the hypothesis is said for all values
    of. Hypotheses that are not about all times are kept.

    Parameters
    ----------
    end : Term
        A nonnegative number that does not depend on time.
    shown : Theorem
        Each hypothesis on all times, with the indicators `up_to` of its times on both sides.

    Raises
    ------
    ProofError
        If a hypothesis is not shown, or `end` may be negative, moves, or differs within a
        hypothesis.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.kernel.rules import assume, antitone, until
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> t, u = Variable("t", Sort.TIME), Function("u", (Sort.TIME,), Fraction(1))
    >>> s = Variable("s", range=NONNEGATIVE)
    >>> falls = assume("u' <= 0", u.rate(t), "<=", 0, every=(t,))
    >>> early = assume("u' <= 0 up to s", up_to(s, u.rate(t)), "<=", up_to(s, 0, t), every=(t,))
    >>> print(until(antitone(u(t), t, falls), s, early))
    u' <= 0 up to s |- (ind((s + (-1*time(t))))*u(t)) <= (ind((s + (-1*time(t))))*u(0))
    """
    end = read(end)
    if not (finite(end) and nonnegative(end)) or any(v.sort is Sort.TIME and v != START for v in end.free):
        raise ProofError(f"{text(end)} is no fixed nonnegative number")
    timed = {
        a: {v for v in a.every if isinstance(v, Variable) and v.sort is Sort.TIME} for a in thm.assumptions
    }
    used = []
    for a, times in timed.items():
        if times:
            sides = [up_to(end, x, *times) for x in (a.lhs, a.rhs)]
            enough = {"==": ("==",), "<=": ("==", "<=")}.get(a.op, ())
            fits = [p for p in shown if [p.lhs, p.rhs] == sides and p.op in enough]
            if not fits or not all(map(finite, (a.lhs, a.rhs))) or a.every & (end.free | end.functions):
                raise ProofError(
                    f"the hypothesis {a.name} is not shown up to {text(end)}, as {text(sides[0])} "
                    f"{a.op} {text(sides[1])}"
                )
            check_arbitrary(fits[0], a.every)
            used.append(fits[0])
    if not all(map(finite, (thm.lhs, thm.rhs))):
        raise ProofError(f"{thm} has a side that may be infinite")
    times = {v for e in (thm.lhs, thm.rhs) for v in e.free if v.sort is Sort.TIME and v != START}
    left, right = (up_to(end, e, *times) for e in (thm.lhs, thm.rhs))
    kept = tuple(a for a, when in timed.items() if not when)
    return _prove(left, "==" if thm.op == "==" else "<=", right, "until", tuple(used), own=kept, inner=(thm,))


def up_to(end: Any, e: Any, *times: Variable) -> Term:
    """The term times the indicators that its times, or those given, are at most `end`."""
    e, end = term(e), term(end)
    own = set(times) or {v for v in e.free if v.sort is Sort.TIME and v != START}
    gates = tuple(Op("ind", (end - CLOCK(t),)) for t in sorted(own, key=lambda v: v.name))
    return Op("mul", (*gates, e)) if gates else e


def _time(t: Any) -> Variable:
    if type(t) is not Variable or t.sort is not Sort.TIME:
        raise ProofError(f"{t} is no time; give a variable of the sort TIME")
    return t
