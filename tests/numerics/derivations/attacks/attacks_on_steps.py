"""Attempts to derive by induction over steps what is false of sequences."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numerics.derivations.kernel.rules import (
    arithmetic,
    assume,
    at_task,
    equal,
    induction,
    instantiate,
    trans,
)
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import FIRST, Function, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem

t, s = Variable("t", Sort.STEP), Variable("s", Sort.STEP)
i, w, now = Variable("i", Sort.INDEX), Variable("w", Sort.TASK), Variable("now", Sort.TIME)
x, scale = Variable("x", range=REALS), Variable("scale", range=POSITIVE)
a, u = (Function(name, (Sort.STEP,)) for name in "au")
clash = Function("u+", (Sort.INDEX,))

kept = assume("u does not grow", u.after(t), "<=", u(t), every=(t,))
same = assume("u stays", u.after(t), "==", u(t), every=(t,))
at_0 = assume("u starts at 0", u(FIRST), "==", 0)
below = assume("u <= 0 so far", u(t), "<=", 0, every=(t,))
next_below = arithmetic(u.after(t), "<=", 0, kept, below)
first_below = at_0
of_every_number = assume("x <= u so far", x, "<=", u(t), every=(x, t))
#: a(s) u(t) = 0 for all s and t up to T shows it for s up to T and t up to T + 1, and no more.
row = assume("row s is what it is at s", a(s) * u.after(t), "==", a(s) * u(s), every=(s, t))
square = assume("a u = 0 so far", a(s) * u(t), "==", 0, every=(s, t))


class Any_(Assumption):
    """A hypothesis that claims to be any other."""

    def __hash__(self) -> int:
        return hash(next(iter(kept.assumptions)))

    def __eq__(self, other: object) -> bool:
        return True


def inducted(so_far: Theorem, base: Theorem, step: Theorem, of: Variable = t) -> Theorem:
    (hypothesis,) = so_far.assumptions
    return induction(hypothesis, of, base, step)


STEPS: dict[str, Callable[[], Any]] = {
    "a base that assumes what is to be shown": lambda: inducted(
        below, instantiate(below, {t: FIRST}), next_below
    ),
    "a base at a step of its own": lambda: inducted(below, below, next_below),
    "a base at every step of another sequence": lambda: inducted(
        below, arithmetic(a(FIRST), "<=", 0, assume("a <= 0", a(FIRST), "<=", 0)), next_below
    ),
    "a step to where it comes from": lambda: inducted(below, first_below, below),
    "a step to the first one": lambda: inducted(below, first_below, first_below),
    "a step to a larger number": lambda: inducted(
        below, first_below, arithmetic(u.after(t), "<=", 1, kept, below)
    ),
    "an equation by inequalities": lambda: inducted(
        assume("u = 0 so far", u(t), "==", 0, every=(t,)),
        at_0,
        arithmetic(u.after(t), "<=", 0, kept, assume("u = 0 so far", u(t), "==", 0, every=(t,))),
    ),
    "a strict inequality by a weak one": lambda: inducted(
        assume("u < 1 so far", u(t), "<", 1, every=(t,)),
        arithmetic(u(FIRST), "<", 1, at_0),
        arithmetic(u.after(t), "<=", 1, kept, assume("u < 1 so far", u(t), "<", 1, every=(t,))),
    ),
    "two steps at once": lambda: inducted(
        square,
        arithmetic(a(s) * u(FIRST), "==", 0, at_0),
        trans(row, instantiate(square, {t: s})),
    ),
    "every number by one at the first step": lambda: inducted(
        of_every_number,
        assume("x <= u(0)", x, "<=", u(FIRST)),
        arithmetic(x, "<=", u.after(t), same, of_every_number),
    ),
    "every number by one at later steps": lambda: inducted(
        of_every_number,
        assume("every x <= u(0)", x, "<=", u(FIRST), every=(x,)),
        arithmetic(x, "<=", u.after(t), assume("x <= u+", x, "<=", u.after(t), every=(t,))),
    ),
    "a hypothesis that is every other one": lambda: induction(
        Any_("any", u(t), "<=", term(0), frozenset({t})), t, first_below, next_below
    ),
    "a time as a step": lambda: inducted(below, first_below, next_below, now),
    "a sequence at 0, but not one step later": lambda: instantiate(
        arithmetic(u.after(t) - u(t), "<=", u.after(t) - u(t) + 1), {u: ((t,), term(0))}
    ),
    "any step in place of the first": lambda: instantiate(equal(u(FIRST), u(FIRST)), {FIRST: t}),
    "a hypothesis at one step": lambda: assume("h", u(t), "<=", 0),
    "a hypothesis for all first steps": lambda: assume("h", u(FIRST), "<=", 0, every=(FIRST,)),
    "the name of a sequence one step later": lambda: equal(u(t) * clash(i), clash(i) * u(t)),
    "a sequence of two steps": lambda: Function("uu", (Sort.STEP, Sort.STEP)),
    "a sequence with moments": lambda: Function("uu", (Sort.STEP,), Fraction(2)),
    "a sequence with all moments": lambda: Function("uu", (Sort.TASK, Sort.STEP), None),
    "a function of indices one step later": lambda: Function("v", (Sort.INDEX,)).after,
    "a statement on steps at a task": lambda: at_task(
        assume("u <= scale", u(t), "<=", scale, every=(t,)),
        w,
        {scale: Function("scale_w", (Sort.TASK,))(w) ** 2 + 1},
    ),
}
