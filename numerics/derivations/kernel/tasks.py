"""The rule that speaks of tasks: what holds for all laws holds for the laws of every task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numerics.derivations.kernel.arithmetic import check_in_range
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import Function, Given, Term, Variable
from numerics.derivations.kernel.theorems import Assumption, Theorem, _prove, check_arbitrary, read, speaks_of

__all__ = ["at_task"]

OF_THE_LAW = {Sort.TOKEN, Sort.QUERY}


def at_task(thm: Theorem, task: Variable, values: Mapping[Any, Any], *given: Theorem) -> Theorem:
    """The theorem for the laws of a task; its hypotheses on the laws are meant for all tasks then.

    A theorem holds for all laws of tokens and queries, all functions of the orders that were
    declared, and all values of its variables. So it holds at each task for the laws of this task,
    functions that depend on the task and have these orders under its laws, and values that depend
    on it, wherever its hypotheses hold with the same put in them: those that speak of nothing that
    is replaced, as they are, and the others, said for all tasks. What a hypothesis is said for all
    values of is not put there and does not stand in what is put, so that a value means the same
    inside a hypothesis and outside, and what comes out is what the theorem assumes. What is not
    replaced is the same for all tasks; a function of tokens or queries must be replaced, so that no
    term keeps the laws of no task.

    Parameters
    ----------
    thm : Theorem
        Without tasks, times and steps, also in what hypotheses are said for all values of.
    values : mapping of Function to Function, and of Variable to Term
        For a function one that has the task as its first argument, and the same order, or any if
        that is 0; for a real variable a number, such as a function of the task.
    given : Theorem
        What may show that values are in their ranges.

    Raises
    ------
    ProofError
        If the theorem speaks of tasks, times or steps, a function does not fit, a value may be out
        of its range, or a hypothesis is said for all values of what is replaced or stands in a
        value.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.kernel.binding import bind
    >>> from numerics.derivations.kernel.rules import arithmetic, assume, at_task, integrate
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> k, w = Variable("k", Sort.TOKEN), Variable("w", Sort.TASK)
    >>> f, s = Function("f", (Sort.TOKEN,), Fraction(2)), Variable("s", range=NONNEGATIVE)
    >>> small = assume("E f^2 <= s", bind("mean", (k,), f(k) ** 2), "<=", s)
    >>> of_task = Function("f_w", (Sort.TASK, Sort.TOKEN), Fraction(2))
    >>> each = at_task(small, w, {f: of_task, s: Function("s_w", (Sort.TASK,))(w) ** 2})
    >>> print(integrate("task", (w,), each))
    E f^2 <= s |- task[1: given[_0: mean[1: (f_w(_1, _0)^2)]]] <= task[1: given[_0: (s_w(_0)^2)]]
    """
    if type(task) is not Variable or task.sort is not Sort.TASK:
        raise ProofError(f"{task} is no task; give a variable of the sort TASK")
    values = dict(values)
    things = speaks_of(thm.lhs, thm.rhs).union(*(speaks_of(a.lhs, a.rhs) | a.every for a in thm.assumptions))
    sorts = {thing: {*thing.sorts} if isinstance(thing, Function) else {thing.sort} for thing in things}
    if {Sort.TASK, Sort.TIME, Sort.STEP} & set().union(*sorts.values()):
        raise ProofError(f"{thm} speaks of tasks, times or steps")
    if loose := [
        g for g, own in sorts.items() if isinstance(g, Function) and OF_THE_LAW & own and g not in values
    ]:
        raise ProofError(
            f"{', '.join(g.name for g in loose)}: a task has its own; give the functions that stand for them"
        )
    put: dict[Any, Any] = {}
    shown: list[Theorem] = []
    for old, new in values.items():
        if type(old) is Function:
            # Nothing is known of what has the order 0: a function of any order may stand for it.
            fits = type(new) is Function and new.sorts == (Sort.TASK, *old.sorts)
            if not fits or old.order not in (0, new.order):
                raise ProofError(f"{new} is no function of a task, and otherwise as {old.name}")
            holes = tuple(Variable(f"#hole{n}", s) for n, s in enumerate(old.sorts))
            put[old] = holes, new(task, *holes)
        elif type(old) is Variable and old.range is not None and old != LENGTH:
            put[old] = read(new)
            shown += check_in_range(put[old], old.range, given)
        else:
            raise ProofError(f"{old} is no function and no real variable that may depend on a task")
    for premise in shown:  # it speaks of one law
        check_arbitrary(premise, [old for old in values if type(old) is Function])
    at = lambda e: Given(task, instantiated(e, put))
    inside = speaks_of(*(x for x in put.values() if isinstance(x, Term)))
    own = []
    for a in thm.assumptions:
        if not put.keys() & speaks_of(a.lhs, a.rhs):
            own.append(a)
            continue
        if caught := a.every & (put.keys() | inside):
            names = ", ".join(sorted(x.name for x in caught))
            raise ProofError(
                f"the hypothesis {a.name} is said for all {names}; let values speak of something else"
            )
        # One number need not serve all tasks, so that what was chosen for one law is no choice.
        own.append(
            Assumption(a.name, at(a.lhs), a.op, at(a.rhs), a.every | {task}, a.cited, argument=a.argument)
        )
    return _prove(
        at(thm.lhs), thm.op, at(thm.rhs), "at every task", tuple(shown), own=tuple(own), inner=(thm,)
    )
