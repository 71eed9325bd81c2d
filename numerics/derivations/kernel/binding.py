"""How binders are built and opened, and how terms are put in place of variables and functions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from numerics.derivations.kernel.sorts import KINDS, ProofError
from numerics.derivations.kernel.terms import (
    Apply,
    Bind,
    Bound,
    Defined,
    Function,
    Given,
    Op,
    Term,
    Variable,
    term,
    text,
)

__all__ = ["bind", "closed", "instantiated", "last_fresh", "opened"]


def _mapped(e: Term, leaf: Any, moves: Any, depth: int) -> Term:
    """The term with `leaf` applied to the variables that change. `moves` tells whether a part of
    the term has such a variable: the others, which are most of a long term, stay as they are.
    """
    if not moves(e, depth):
        return e
    again = lambda a: _mapped(a, leaf, moves, depth)
    if isinstance(e, (Variable, Bound)):
        return leaf(e, depth)
    if isinstance(e, Apply):
        return Apply(e.function, tuple(map(again, e.args)))
    if isinstance(e, Op):
        return Op(e.head, tuple(map(again, e.args)))
    if isinstance(e, Bind):
        return Bind(
            e.kind, tuple(map(again, e.heads)), e.count, _mapped(e.body, leaf, moves, depth + e.count)
        )
    if isinstance(e, Defined):
        body = again(e.body)
        return e if body == e.body else body
    return Given(again(e.task), again(e.body)) if isinstance(e, Given) else e


def _put(e: Term, values: Mapping[Variable, Any]) -> Term:
    """The term with values[v](number of binders around it) in place of each free variable v."""
    put = frozenset(values)  # two sets compare the hashes that they have stored
    return _mapped(e, lambda v, depth: values[v](depth), lambda a, _: not a.free.isdisjoint(put), 0)


@cache
def closed(e: Term, names: tuple[Variable, ...]) -> Term:
    """The body of a binder that binds these variables, the first one by the index 0."""
    if e.loose:
        raise ProofError(f"{text(e)} has a bound variable without a binder")
    return _put(e, {v: lambda depth, n=n, v=v: Bound(depth + n, v.sort) for n, v in enumerate(names)})


@cache
def opened(e: Bind, beyond: int = 0) -> tuple[tuple[Variable, ...], Term]:
    """New variables for the bound ones, and the body in them. The names are #n with n greater than
    `beyond` and than every one in the term.
    """
    if e.loose:
        raise ProofError(f"{text(e)} has a bound variable without a binder")
    sort = KINDS[e.kind].sort
    first = 1 + max(beyond, last_fresh(e))
    new = tuple(Variable(f"#{n:02}", sort) for n in range(first, first + e.count))
    return new, _mapped(
        e.body, lambda v, depth: new[v.index - depth], lambda a, depth: any(n >= depth for n, _ in a.loose), 0
    )


def last_fresh(*terms: Term) -> int:
    """The greatest n of a free variable #n."""
    return max((int(v.name[1:]) for e in terms for v in e.free if v.name.startswith("#")), default=0)


def bind(kind: str, names: tuple[Variable, ...], body: Any, heads: tuple[Term, ...] = ()) -> Bind:
    """The binder of that kind over these variables, which are bound in the body."""
    if not all(type(v) is Variable and kind in KINDS and v.sort is KINDS[kind].sort for v in names) or len(
        set(names)
    ) != len(names):
        raise ProofError(f"{kind} does not bind {', '.join(map(str, names))}")
    return Bind(kind, tuple(heads), len(names), closed(term(body), tuple(names)))


def instantiated(e: Term, values: Mapping[Any, Any]) -> Term:
    """The term with terms for free variables, and for functions pairs of holes and a term in them.

    Nothing is captured, because what is put has no bound variable without a binder.
    """
    e = _put(e, {v: lambda _, x=x: x for v, x in values.items() if isinstance(v, Variable)})
    made = {g: x for g, x in values.items() if isinstance(g, Function)}
    return _with_functions(e, made) if e.functions.intersection(made) else e


def _with_functions(e: Term, made: Mapping[Function, tuple[tuple[Variable, ...], Term]]) -> Term:
    if isinstance(e, Apply) and e.function in made:
        holes, body = made[e.function]
        return instantiated(body, dict(zip(holes, e.args)))
    if isinstance(e, Op):
        return Op(e.head, tuple(_with_functions(a, made) for a in e.args))
    if isinstance(e, Bind) and e.functions.intersection(made):
        names, body = opened(e)
        return bind(e.kind, names, _with_functions(body, made), e.heads)
    if isinstance(e, Defined) and e.functions.intersection(made):
        return _with_functions(e.body, made)
    return Given(e.task, _with_functions(e.body, made)) if isinstance(e, Given) else e
