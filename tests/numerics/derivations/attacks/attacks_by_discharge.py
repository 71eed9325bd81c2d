"""Attempts to free a theorem of a hypothesis that was not shown."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, discharge, instantiate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import START, Function, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from tests.numerics.derivations.attacks.attacks_on_time_and_tasks import K, chosen, finite_mean

x, y = (Variable(name, range=REALS) for name in "xy")
i, k, w = Variable("i", Sort.INDEX), Variable("k", Sort.TOKEN), Variable("w", Sort.TASK)
t, s, n = Variable("t", Sort.TIME), Variable("s", Sort.TIME), Variable("n", Sort.STEP)
v, u = Function("v", (Sort.INDEX,)), Function("u", (Sort.TIME,))
of_task, of_step = Function("a", (Sort.TASK,)), Function("b", (Sort.STEP,))
f2, f4 = (Function("f", (Sort.TOKEN,), Fraction(order)) for order in (2, 4))

every_x = assume("every x is at most y", x, "<=", y, every=(x,))
one_x = assume("one x is at most y", x, "<=", y)
every_v = assume("every v is at most 1", v(i), "<=", 1, every=(v, i))
one_v = assume("one v is at most 1", v(i), "<=", 1, every=(i,))
below = assume("x < y", x, "<", y)
equals = assume("x = y", x, "==", y)
weak = assume("x <= y", x, "<=", y)
falls = assume("u <= 0", u(t), "<=", 0, every=(t,))


class Any_(Assumption):
    """A hypothesis that claims to be any other."""

    def __hash__(self) -> int:
        return hash(next(iter(weak.assumptions)))

    def __eq__(self, other: object) -> bool:
        return True


class Fake(Variable):
    """A number that claims to be any term."""

    def __hash__(self) -> int:
        return hash(x)

    def __eq__(self, other: object) -> bool:
        return True


def freed(thm: Theorem, of: Theorem, shown: Theorem) -> Theorem:
    (hypothesis,) = (a for a in of.assumptions if (a.lhs, a.rhs) == (of.lhs, of.rhs))
    return discharge(thm, hypothesis, shown)


def alike(thm: Theorem) -> Theorem:
    """A hypothesis that says what a theorem says."""
    return assume("the same", thm.lhs, thm.op, thm.rhs)


def mean(e: Any) -> Any:
    return bind("mean", (k,), e)


def small(f: Function) -> Theorem:
    return assume(f"E f^2 <= 1 for {f.order}", mean(f(k) ** 2), "<=", 1)


large = assume("E f^2 <= 1", mean(f4(k) ** 2), "<=", 1)

DISCHARGES: dict[str, Callable[[], Any]] = {
    "every number by one": lambda: freed(instantiate(every_x, {x: y + 1}), every_x, one_x),
    "every number by a sum with one": lambda: freed(
        instantiate(every_x, {x: y + 1}),
        every_x,
        arithmetic(x, "<=", y, assume("x + 1 <= y", x + 1, "<=", y)),
    ),
    "every function by one": lambda: freed(instantiate(every_v, {v: ((i,), term(2))}), every_v, one_v),
    "what is strict by what is not": lambda: freed(below, below, weak),
    "an equation by an inequality": lambda: freed(equals, equals, weak),
    "an inequality by its converse": lambda: freed(weak, weak, assume("y <= x", y, "<=", x)),
    "a side that claims to be any term": lambda: discharge(
        weak, Assumption("x <= y", Fake("x", range=REALS), "<=", y), arithmetic(y - 1, "<=", y)
    ),
    "a hypothesis by itself": lambda: freed(weak, weak, weak),
    "a hypothesis by what assumes it": lambda: freed(
        arithmetic(x, "<=", y + 1, weak), weak, arithmetic(x, "<=", y, weak)
    ),
    "every time by the first": lambda: freed(falls, falls, assume("u(0) <= 0", u(START), "<=", 0)),
    "every time by another": lambda: freed(falls, falls, instantiate(falls, {t: s})),
    "every task by what is said of a number": lambda: freed(
        assume("a <= 0", of_task(w), "<=", 0, every=(w,)),
        assume("a <= 0", of_task(w), "<=", 0, every=(w,)),
        assume("x <= 0", x, "<=", 0),
    ),
    "every step by one later": lambda: freed(
        assume("b <= 0", of_step(n), "<=", 0, every=(n,)),
        assume("b <= 0", of_step(n), "<=", 0, every=(n,)),
        assume("b+ <= 0", of_step.after(n), "<=", 0, every=(n,)),
    ),
    "a function by one with fewer moments": lambda: freed(large, large, small(f2)),
    "the choice of a number": lambda: freed(chosen(), chosen(), alike(chosen())),
    "what a number was chosen for, by the number": lambda: freed(
        chosen(),
        finite_mean,
        arithmetic(
            finite_mean.lhs,
            "<=",
            finite_mean.rhs,
            assume("E f^2 <= K", finite_mean.lhs, "<=", K),
            assume("K <= S", K, "<=", finite_mean.rhs),
            hide=(finite_mean.lhs,),
        ),
    ),
    "what is not assumed": lambda: freed(weak, below, assume("x < y, too", x, "<", y)),
    "what is every hypothesis": lambda: discharge(
        arithmetic(x, "<=", y + 1, weak), Any_("any", x, "<=", y), arithmetic(x, "<=", y, below)
    ),
    "a hypothesis that is no theorem": lambda: discharge(weak, *weak.assumptions, below.assumptions),
}
