"""The rule that two solutions of one smooth equation for functions of time are the same."""

from __future__ import annotations

from typing import Any

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Apply, Function, Variable, text
from numerics.derivations.kernel.theorems import Theorem, _prove, check_arbitrary, read

__all__ = ["unique"]


def unique(u: Function, t: Variable, v: Any, flow: Theorem, solves: Theorem, start: Theorem) -> Theorem:
    """``u(i, .., t) == v`` from ``u' == F(u)``, ``dv/dt == F(v)`` and ``u(i, .., 0) == v`` at 0.

    Let the free variables and all other functions have any values. F and v speak of no time but t
    and 0, at which the values of u and v are the same numbers, and those of u' are numbers.
    The indices that occur are those of a place (i, ..), of free variables, and 1, 2, .. up to the
    ends of sums over coordinates; J are finitely many, with all but the place's among them. At a
    place in J the term F speaks of u at places in J only, so that the values of u there solve
    finitely many equations. Their right sides are built as `derivative` wants it: they are
    continuous in t, with continuous derivatives in the values of u, wherever these make them
    defined, which is an open set. The values of v solve the same equations and start at the same
    point. Let s be the last time up to which u and v agree. Near their common values there F is
    defined and C^1, so that it has a Lipschitz constant C there; ``|u - v|^2`` grows at most at the
    rate 2C times itself, from 0, and vanishes a little longer by Gronwall's inequality; so there is
    no last time.

    Parameters
    ----------
    u : Function
        A function of indices and of time, with a continuous derivative.
    t : Variable
        The time.
    v : Term
        What u is at a place and t, in the variables of `flow`.
    flow : Theorem
        ``u.rate(i, .., t) == F`` for different variables i, ..
    solves : Theorem
        ``derivative(v, t) == F`` with v in place of u.
    start : Theorem
        ``u(i, .., 0) == v`` at the time 0.

    Raises
    ------
    ProofError
        If the premises say something else, F may not be smooth, F or v speaks of another time, or
        an assumption fixes a place or the time.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.derived import exp
    >>> from numerics.derivations.kernel.rules import arithmetic, assume, begin, unique
    >>> from numerics.derivations.kernel.sorts import Sort
    >>> from numerics.derivations.kernel.terms import CLOCK, START, Function, Variable
    >>> t, u = Variable("t", Sort.TIME), Function("u", (Sort.TIME,), Fraction(1))
    >>> flow = assume("u' = u", u.rate(t), "==", u(t), every=(t,))
    >>> first = assume("u(0) = 1", u(START), "==", 1)
    >>> solves = arithmetic(derivative(exp(CLOCK(t)), t), "==", exp(CLOCK(t)))
    >>> start = arithmetic(u(START), "==", exp(CLOCK(START)), first, begin())
    >>> print(unique(u, t, exp(CLOCK(t)), flow, solves, start))
    u' = u, u(0) = 1 |- u(t) == exp(time(t))
    """
    v = read(v)
    at = flow.lhs.args if isinstance(flow.lhs, Apply) and flow.lhs.function == u.rate else ()
    place = tuple(x for x in at if type(x) is Variable and x.sort is Sort.INDEX)
    if type(u) is not Function or u == CLOCK or flow.op != "==":
        raise ProofError(f"{flow} is no equation of the derivative of a function of indices and time")
    if t not in at or len({*place, t}) != len(u.sorts):
        raise ProofError(f"{text(flow.lhs)} is not at different variables for indices, and at the time {t}")
    derivative(flow.rhs, t)  # refuses what may not be smooth
    if any(x.sort is Sort.TIME and x not in (t, START) for x in flow.rhs.free | v.free):
        raise ProofError(f"{text(flow.rhs)} or {text(v)} speaks of another time than {t} and 0")
    holes = tuple(x for x in at if isinstance(x, Variable))
    for said, lhs, rhs in (
        (solves, derivative(v, t), instantiated(flow.rhs, {u: (holes, v)})),
        (start, instantiated(u(*at), {t: START}), instantiated(v, {t: START})),
    ):
        if (said.lhs, said.op, said.rhs) != (lhs, "==", rhs):
            raise ProofError(f"{said} is not {text(lhs)} == {text(rhs)}")
        check_arbitrary(said, (*place, t))
    check_arbitrary(flow, (*place, t))
    return _prove(u(*at), "==", v, "uniqueness of a flow", (flow, solves, start))
