"""The rule that speaks of tasks: what holds for all laws holds for the laws of every task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numerics.derivations.arithmetic import check_in_range
from numerics.derivations.binding import instantiated
from numerics.derivations.normal_form import LENGTH
from numerics.derivations.sorts import Refused, Sort
from numerics.derivations.terms import Function, Given, Variable
from numerics.derivations.theorems import Assumption, Theorem, check_arbitrary, prove, read

__all__ = ["at_task"]

OF_THE_LAW = {Sort.TOKEN, Sort.QUERY}


def at_task(thm: Theorem, task: Variable, values: Mapping[Any, Any], *given: Theorem) -> Theorem:
    """The theorem for the laws of a task; its hypotheses on the laws are meant for all tasks then.

    A theorem holds for all laws of tokens and queries, all functions of the orders that were
    declared, and all values of its variables. So it holds at each task for the laws of this task,
    functions that depend on the task and have these orders under its laws, and values that depend
    on it. What is not replaced is the same for all tasks; a function of tokens or queries must be
    replaced.

    Parameters
    ----------
    thm : Theorem
        Without tasks and times.
    task : Variable
    values : mapping of Function to Function, and of Variable to Term
        For a function one that has the task as its first argument, and the same order; for a real
        variable a number, such as a function of the task.
    given : Theorem
        What may show that values are in their ranges.

    Raises
    ------
    Refused
        If the theorem speaks of tasks or times, a function does not fit, or a value may be out of
        its range.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.binding import bind
    >>> from numerics.derivations.rules import arithmetic, assume, at_task, integrate
    >>> from numerics.derivations.sorts import NONNEGATIVE, Sort
    >>> from numerics.derivations.terms import Function, Variable
    >>> k, w = Variable("k", Sort.TOKEN), Variable("w", Sort.TASK)
    >>> f, s = Function("f", (Sort.TOKEN,), Fraction(2)), Variable("s", range=NONNEGATIVE)
    >>> small = assume("E f^2 <= s", bind("mean", (k,), f(k) ** 2), "<=", s)
    >>> of_task = Function("f_w", (Sort.TASK, Sort.TOKEN), Fraction(2))
    >>> each = at_task(small, w, {f: of_task, s: Function("s_w", (Sort.TASK,))(w) ** 2})
    >>> print(integrate("task", (w,), each))
    E f^2 <= s |- task[1: given[_0: mean[1: (f_w(_1, _0)^2)]]] <= task[1: given[_0: (s_w(_0)^2)]]
    """
    if type(task) is not Variable or task.sort is not Sort.TASK:
        raise Refused(f"{task} is no task; give a variable of the sort TASK")
    values = dict(values)
    sides = [thm.lhs, thm.rhs, *(x for a in thm.assumptions for x in (a.lhs, a.rhs))]
    functions: frozenset[Function] = frozenset().union(*(e.functions for e in sides))
    sorts = {v.sort for e in sides for v in e.free}.union(*(g.sorts for g in functions))
    if {Sort.TASK, Sort.TIME} & sorts:
        raise Refused(f"{thm} speaks of tasks or times")
    if loose := {g for g in functions if OF_THE_LAW & set(g.sorts)} - set(values):
        raise Refused(f"{', '.join(g.name for g in loose)}: a task has its own; give the functions that stand for them")
    put: dict[Any, Any] = {}
    shown: list[Theorem] = []
    for old, new in values.items():
        if type(old) is Function:
            if type(new) is not Function or new.sorts != (Sort.TASK, *old.sorts) or new.order != old.order:
                raise Refused(f"{new} is no function of a task, and otherwise as {old.name}")
            holes = tuple(Variable(f"#hole{n}", s) for n, s in enumerate(old.sorts))
            put[old] = holes, new(task, *holes)
        elif type(old) is Variable and old.range is not None and old != LENGTH:
            put[old] = read(new)
            shown += check_in_range(put[old], old.range, given)
        else:
            raise Refused(f"{old} is no function and no real variable that may depend on a task")
    for premise in shown:  # it speaks of one law
        check_arbitrary(premise, [old for old in values if type(old) is Function])
    at = lambda e: Given(task, instantiated(e, put))
    lifted = []
    for a in thm.assumptions:
        if fixed := a.every & set(put):
            raise Refused(f"the hypothesis {a.name} is said for all {', '.join(x.name for x in fixed)}")
        # One number need not serve all tasks, so that what was chosen for one law is no choice
        # any more.
        same = not set(put) & {*a.lhs.free, *a.rhs.free, *a.lhs.functions, *a.rhs.functions}
        lifted.append(a if same else Assumption(a.name, at(a.lhs), a.op, at(a.rhs), a.every | {task}, a.cited, argument=a.argument))
    return prove(at(thm.lhs), thm.op, at(thm.rhs), "at every task", tuple(shown), own=tuple(lifted), inner=(thm,))
