"""Attempts to know a path by an equation that it does not solve, or that has other solutions."""

from collections.abc import Callable
from typing import Any

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import arithmetic, begin, equal, unique
from numerics.derivations.kernel.terms import CLOCK, START, Function, Op, Term, term
from numerics.derivations.kernel.theorems import Theorem
from tests.numerics.derivations.attacks.attacks_on_time_and_tasks import (
    hyp,
    i,
    later,
    moving,
    now,
    other,
    path,
    paths,
    rough,
    w,
)


def as_0(rate: Term, op: str = "==", begin_at: Any = 0, of: Function = path) -> Theorem:
    """That a path is 0 at all times, by the equation or inequality of its derivative, and by what
    the derivative of 0 is, where 0 is put for the path.
    """
    flow, start = hyp(of.rate(now), op, rate, now), hyp(of(START), "==", begin_at)
    return unique(of, now, 0, flow, arithmetic(0, "==", instead(rate, of)), start)


def as_one_from_another_time() -> Theorem:
    """That a path is t max(0, s - 1) for every s, by a rate that speaks of its value at s."""
    rate = lambda e: e / Op("max", (CLOCK(later), term(1)))
    v = CLOCK(now) * Op("max", (term(0), CLOCK(later) - 1))
    flow = hyp(path.rate(now), "==", rate(path(later)), now, later)
    solves = arithmetic(derivative(v, now), "==", rate(instantiated(v, {now: later})))
    start = arithmetic(path(START), "==", instantiated(v, {now: START}), hyp(path(START), "==", 0), begin())
    return unique(path, now, v, flow, solves, start)


def instead(rate: Term, of: Function) -> Term:
    return instantiated(rate, {of: ((now,), term(0))})


EQUATIONS: dict[str, Callable[[], Any]] = {
    "a path that leaves 0 by a root": lambda: as_0(2 * sqrt(Op("max", (path(now), term(0))))),
    "a path whose rate is only bounded": lambda: as_0(path(now), "<="),
    "a path from elsewhere": lambda: as_0(path(now), begin_at=1),
    "a path by its values at another time": as_one_from_another_time,
    "a path as a solution of another equation": lambda: unique(
        path,
        now,
        CLOCK(now),
        hyp(path.rate(now), "==", path(now), now),
        equal(1, 1),
        arithmetic(path(START), "==", CLOCK(START), hyp(path(START), "==", 0), begin()),
    ),
    "the clock as a path": lambda: as_0(term(0), of=CLOCK),
    "a path by the rate of another": lambda: unique(
        path,
        now,
        0,
        hyp(other.rate(now), "==", path(now), now),
        equal(0, 0),
        hyp(path(START), "==", 0),
    ),
    "a path by an equation on the diagonal": lambda: unique(
        moving,
        now,
        moving(i, i, START),
        hyp(moving.rate(i, i, now), "==", 0, i, now),
        equal(0, 0),
        equal(moving(i, i, START), moving(i, i, START)),
    ),
    "a path at the first time only": lambda: unique(
        path, START, 0, hyp(path.rate(START), "==", 0), equal(0, 0), hyp(path(START), "==", 0)
    ),
    "a task's path by its equation": lambda: unique(
        paths, now, 0, hyp(paths.rate(w, now), "==", 0, w, now), equal(0, 0), hyp(paths(w, START), "==", 0, w)
    ),
    "a path as one that jumps": lambda: unique(
        path,
        now,
        rough(now),
        hyp(path.rate(now), "==", 0, now),
        equal(0, 0),
        hyp(path(START), "==", rough(START)),
    ),
}
