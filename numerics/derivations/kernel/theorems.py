"""`Theorem`: a statement that a rule of the kernel has proved, with all that it assumes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from numerics.derivations.kernel.normal_form import LENGTH
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import (
    CLOCK,
    FIRST,
    GAUSSIAN,
    ORIGINS,
    START,
    TERMS,
    Bind,
    Defined,
    Function,
    Given,
    Op,
    Term,
    Variable,
    term,
    text,
)
from numerics.derivations.kernel.values import check_defined

__all__ = ["Assumption", "Theorem", "check_arbitrary", "read", "speaks_of"]

OPS = ("<=", "<", "==")
#: Which relations are enough for which.
ENOUGH = {"==": ("==",), "<=": ("==", "<=", "<"), "<": ("<",)}
#: Names of rows, and of results of anybody.
_ROW = re.compile(r"\b[A-Z]{2,}:\s*\S|\bR\d+(\.\w| \()")
_RESULT = re.compile(
    r"(by |as in |from )?((lemma|proposition|theorem|corollary)(s|_|\b)|prop\.)", re.IGNORECASE
)
_RULES_ONLY = object()


@dataclass(frozen=True)
class Assumption:
    """A hypothesis, for all values of what stands in `every`; the other variables and functions in
    it are fixed.

    If it is `cited` it is a theorem of somebody else. If it is a result of ours or of the paper
    that no rule has proved, `argument` says how it holds: what rests on it is argued. If a variable
    is `chosen` in it, a rule has shown that there is a number for which it holds, which depends on
    nothing else than the other things in it. Refused if it speaks of one token, query, index, task,
    time or step that is not in `every`, is said for all of what is no variable and no function of
    indices, or is named after a result and neither cited nor argued.
    """

    name: str
    lhs: Term
    op: str
    rhs: Term
    every: frozenset[Variable | Function] = frozenset()
    cited: bool = False
    chosen: Variable | None = None
    argument: str = ""

    def __post_init__(self) -> None:
        if not {type(self.lhs), type(self.rhs)} <= {*TERMS} or not type(self.name) is type(self.op) is str:
            raise ProofError(f"{self.name} is no relation between terms")
        for v in self.every:
            of_indices = type(v) is Function and set(v.sorts) == {Sort.INDEX}
            if v in ORIGINS or not (of_indices or type(v) is Variable):
                raise ProofError(
                    f"the hypothesis {self.name} is said for all values of variables and functions of "
                    "indices only"
                )
        if loose := [
            v for v in self.fixes if isinstance(v, Variable) and v.sort is not Sort.REAL and v not in ORIGINS
        ]:
            raise ProofError(
                f"the hypothesis {self.name} speaks of one {loose[0].sort.value}, {loose[0]}; put it "
                "into `every`"
            )
        if (_ROW.search(self.name) and not self.argument) or (
            _RESULT.match(self.name) and not (self.cited or self.argument)
        ):
            raise ProofError(
                f"the hypothesis {self.name} is a result: instantiate its theorem, cite it, or give its "
                "argument"
            )

    @cached_property
    def fixes(self) -> frozenset[Any]:
        """The variables and functions that are not arbitrary any more."""
        return speaks_of(self.lhs, self.rhs) - self.every

    def __str__(self) -> str:
        of = ", ".join(sorted(v.name for v in self.every))
        return f"{self.name}: {self.lhs} {self.op} {self.rhs}{f' for every {of}' if of else ''}"


class Theorem:
    """``lhs op rhs`` for all values of the free variables in their ranges, all laws of tokens and
    queries, and all functions of the orders shown, under its assumptions.

    Only the rules of the kernel make one (`numerics.derivations.kernel.rules`).
    """

    __slots__ = ("assumptions", "exact", "lhs", "op", "premises", "rhs", "rule")

    lhs: Term
    op: str
    rhs: Term
    assumptions: frozenset[Assumption]
    rule: str
    premises: tuple[Theorem, ...]
    exact: bool

    def __init__(self, key: object, **parts: Any) -> None:
        if key is not _RULES_ONLY:
            raise TypeError("a theorem comes from a rule of numerics.derivations.kernel.rules only")
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, *_: Any) -> None:
        raise AttributeError("theorems do not change")

    def __delattr__(self, *_: Any) -> None:
        raise AttributeError("theorems do not change")

    def steps(self, taken: frozenset[int] = frozenset()) -> tuple[Theorem, ...]:
        """Every theorem that this one rests on, once, premises first, and itself; without the
        premises of those whose `id` is among `taken`.
        """
        seen: dict[int, Theorem] = {}
        todo: list[tuple[Theorem, bool]] = [(self, False)]
        while todo:
            t, ready = todo.pop()
            if ready:
                seen.setdefault(id(t), t)
            elif id(t) not in seen:
                todo += [(t, True), *((p, False) for p in reversed(t.premises) if id(t) not in taken)]
        return tuple(seen.values())

    @property
    def functions(self) -> frozenset[Function]:
        """The functions of tokens, queries and normals, whose orders are hypotheses."""
        terms = [self.lhs, self.rhs, *(x for a in self.assumptions for x in (a.lhs, a.rhs))]
        return frozenset(g for e in terms for g in e.functions if set(g.sorts) - {Sort.INDEX})

    @property
    def certified(self) -> bool:
        """Whether some step rests on an enclosure and not on exact arithmetic."""
        return not all(t.exact for t in self.steps())

    def __str__(self) -> str:
        given = ", ".join(sorted(a.name for a in self.assumptions))
        return f"{given} |- {self.lhs} {self.op} {self.rhs}"

    __repr__ = __str__


@cache
def _named(e: Term) -> frozenset[tuple[str, Any]]:
    """What stands behind each name in the term, without what it binds; a prompt has its length."""
    own: set[tuple[str, Any]] = {(v.name, v) for v in e.free} | {(g.name, g) for g in e.functions}
    if isinstance(e, Bind) and e.kind in ("prompt", "sum"):
        own.add((LENGTH.name, LENGTH))
    if isinstance(e, Defined):
        own.add((e.name, e))
    body = (e.body,) if isinstance(e, (Bind, Defined, Given)) else ()
    parts = e.args if isinstance(e, Op) else (*e.heads, *body) if isinstance(e, Bind) else body
    return frozenset(own.union(*map(_named, parts)))


def speaks_of(*terms: Term) -> frozenset[Any]:
    """The free variables and the functions of terms, with `LENGTH` wherever a prompt stands."""
    return frozenset(thing for e in terms for _, thing in _named(e) if not isinstance(thing, Defined))


def read(x: Any) -> Term:
    """A term that a caller gives to a rule: defined, without loose variables and names of the
    kernel, and with the tokens of a task only given that task.
    """
    return _readable(term(x))


@cache
def _readable(e: Term) -> Term:
    if e.tasks:
        raise ProofError(f"{text(e)} has a function of a token of a task; write `Given` that task")
    if e.loose or any(name.startswith("#") for name, _ in _named(e)):
        raise ProofError(f"{text(e)} has a variable that only the kernel may use")
    check_defined(e)
    return e


def _prove(
    lhs: Term,
    op: str,
    rhs: Term,
    rule: str,
    premises: tuple[Theorem, ...] = (),
    exact: bool = True,
    own: tuple[Assumption, ...] = (),
    inner: tuple[Theorem, ...] = (),
) -> Theorem:
    """For rules only: the theorem, with the assumptions of its premises and its own, but not those
    of `inner` premises. Refused unless a reader cannot misread it: if a side may have no value, the
    relation is unknown, one name stands for two things, or numbers cannot be chosen as the
    assumptions want it.
    """
    if op not in OPS:
        raise ProofError(
            f"the relation {op!r} is none of {', '.join(OPS)}; X > Y is written Y < X, and X >= Y as Y <= X"
        )
    if not all(type(p) is Theorem for p in (*premises, *inner)):
        raise ProofError("a premise is no theorem")
    assumptions = frozenset(own).union(*(p.assumptions for p in premises))
    _check_choices(assumptions)
    names = _one_thing_each(dict(_names(assumptions)), _named(read(lhs)), _named(read(rhs)))
    for g in [g for g in names.values() if isinstance(g, Function)]:
        if Sort.TIME in g.sorts and g.order == 1 and names.get(g.rate.name, g.rate) != g.rate:
            raise ProofError(f"the name {g.rate.name!r} is that of the derivative of {g.name}; rename it")
        if Sort.STEP in g.sorts and names.get(g.after.name, g.after) != g.after:
            raise ProofError(f"the name {g.after.name!r} is that of {g.name} one step later; rename it")
    return Theorem(
        _RULES_ONLY,
        lhs=lhs,
        op=op,
        rhs=rhs,
        assumptions=assumptions,
        rule=rule,
        premises=(*premises, *inner),
        exact=exact,
    )


@cache
def _names(assumptions: frozenset[Assumption]) -> dict[str, Any]:
    """What stands behind each name in assumptions, and behind those that are never free."""
    names: dict[str, Any] = {thing.name: thing for thing in (LENGTH, GAUSSIAN, START, FIRST, CLOCK)}
    every = [(v.name, v) for a in assumptions for v in a.every]
    return _one_thing_each(names, every, *(_named(read(x)) for a in assumptions for x in (a.lhs, a.rhs)))


def _one_thing_each(names: dict[str, Any], *more: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The names, to which more are added; refused if one of them stands for two things."""
    for named in more:
        for name, thing in named:
            if names.setdefault(name, thing) != thing:
                raise ProofError(f"the name {name!r} stands for two things; rename one of them")
    return names


@cache
def _check_choices(assumptions: frozenset[Assumption]) -> None:
    """Pass numbers that can be chosen one after the other: none depends on itself, and a hypothesis
    on one has on the side that can give way, which is the larger one in "K <= L", something that
    nothing ties to what the number was chosen for. Several choices of one number are met by every
    number that is large enough.

    This is a check against slips: the hypotheses, which a reader sees, may still leave nothing.
    """
    needs: dict[Any, frozenset[Any]] = {}
    for a in assumptions:
        if a.chosen is not None:
            needs[a.chosen] = needs.get(a.chosen, frozenset()) | a.fixes - {a.chosen}
    for _ in needs:  # what a number needs is needed by those that need it
        needs = {K: others.union(*(needs[v] for v in others & needs.keys())) for K, others in needs.items()}
    if any(K in others for K, others in needs.items()):
        raise ProofError(
            "one chosen number depends on another, and that one on it; choose them one after the other"
        )
    numbers = frozenset(needs)
    tied: frozenset[Any] = frozenset().union(*needs.values())
    # A hypothesis on functions of a prompt of L tokens does not tie L to them.
    of_prompts = lambda a: LENGTH in a.fixes and any(type(x) is Function for x in a.fixes)
    plain = [a for a in assumptions if not a.fixes & numbers and not of_prompts(a)]
    smaller = lambda a: a.fixes if a.op == "==" else speaks_of(a.lhs) - a.every
    while more := frozenset().union(*(smaller(a) for a in plain if a.fixes & tied)) - tied:
        tied |= more
    for a in assumptions:
        own = a.fixes & numbers if a.chosen is None else None
        free = (
            a.fixes if a.op == "==" else speaks_of(a.rhs if numbers & speaks_of(a.lhs) else a.lhs) - a.every
        )
        if own and not free - numbers - tied:
            raise ProofError(
                f"the hypothesis {a.name} speaks of {', '.join(sorted(K.name for K in own))} and only "
                "of what this was chosen for, "
                "or what is tied to that, and may leave nothing to choose; put a number that is chosen "
                "later on the other side"
            )


def check_arbitrary(thm: Theorem, things: Any) -> None:
    """Refuse variables and functions that an assumption of the theorem fixes."""
    for a in thm.assumptions:
        if fixed := a.fixes & set(things):
            raise ProofError(
                f"{', '.join(str(getattr(x, 'name', x)) for x in fixed)} is fixed by the hypothesis {a.name}"
            )
