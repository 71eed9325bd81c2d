"""What is said of one law of tokens and queries, written out for the laws of every task: the words
of statements, beside the rule `at_task` of the kernel, by which a derivation comes to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Given, Term, Variable
from numerics.derivations.kernel.theorems import Assumption
from proofs_check.derivations.softmax_average.softmax_average import sigma, z
from proofs_check.derivations.softmax_average.tilted import y
from proofs_check.derivations.transfer.risks.rates import square, task

Values = Mapping[Function | Variable, Function | Term]


def with_the_task(g: Function, name: str = "") -> Function:
    """The function of the same kind that depends on the task."""
    return Function(name or g.name, (Sort.TASK, *g.sorts), g.order)


#: The tokens, the query and sigma_mu of a task; the query is called x, as y is the label.
OF_THE_TASK: Values = {z: with_the_task(z), y: with_the_task(y, "x"), sigma: sqrt(square)}


def of_the_task(e: Term, values: Values = OF_THE_TASK) -> Term:
    """The value of a term at the task, with these functions and numbers of it."""
    put: dict[Any, Any] = {}
    for old, new in values.items():
        holes = (
            tuple(Variable(f"hole{n}", sort) for n, sort in enumerate(old.sorts))
            if isinstance(old, Function)
            else ()
        )
        put[old] = (holes, new(task, *holes)) if isinstance(new, Function) else new
    return Given(task, instantiated(e, put))


def at_every_task(given: frozenset[Assumption], values: Values = OF_THE_TASK) -> frozenset[Assumption]:
    """The hypotheses for every task; one that speaks of nothing that a task has of its own is the
    same for all.
    """

    def written(a: Assumption) -> Assumption:
        if values.keys().isdisjoint({*a.lhs.free, *a.rhs.free, *a.lhs.functions, *a.rhs.functions}):
            return a
        return replace(
            a, lhs=of_the_task(a.lhs, values), rhs=of_the_task(a.rhs, values), every=a.every | {task}
        )

    return frozenset(map(written, given))
