"""Tactics: what finds the rules of a step. None is trusted, for each ends in rules of the kernel.

`show` proves one relation and `calc` a chain of them, so that a derivation reads as displayed
formulas with reasons beside them: theorems, which are the facts of a step, and terms, which are
letters for the prover. Nothing is searched for: the ways of a step are tried in one order, and
the letters of arithmetic follow from the terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from numerics.derivations.derived import chain, root
from numerics.derivations.kernel.binding import instantiated, opened
from numerics.derivations.kernel.rules import arithmetic, equal, gcongr, integrate
from numerics.derivations.kernel.sorts import KINDS, ProofError
from numerics.derivations.kernel.terms import ORIGINS, Bind, Number, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.kernel.values import nonnegative, positive
from numerics.derivations.shapes import (
    form,
    in_words_of,
    integrals,
    letters,
    multiplier,
    opaque,
    same,
    unfolded,
    without_body,
)
from numerics.derivations.typeset import relation
from numerics.terminal.mathematics import as_unicode

__all__ = ["calc", "positivity", "show"]

Facts = tuple[Theorem, ...]
#: How many boxes a prover looks at for letters that were not given.
EFFORT = 20_000
#: Which relations are enough for which.
STRENGTH = {"<=": ("<=", "<", "=="), "<": ("<",), "==": ("==",)}


def show(lhs: Any, op: str, rhs: Any, *reasons: Theorem | Term) -> Theorem:
    """``lhs op rhs`` from facts.

    Without facts the sides have one normal form, or differ in one place, or a prover decides.
    Facts follow one another, or stand in the left side, or multiples of them add up to the goal,
    up to terms that are the same on both sides and what is not negative, or one says the goal of
    the squares. A fact that speaks of a variable which the goal does not have is integrated over
    it as the goal is. Terms among the reasons are letters for the prover; without them it takes
    the largest terms that stand in several places.

    Parameters
    ----------
    lhs, rhs : Term or rational number
    op : {"<=", "<", "=="}
    reasons : Theorem or Term
        Facts, and letters for the prover.

    Returns
    -------
    Theorem

    Raises
    ------
    ProofError
        With what was left to show where the last way stopped.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import assume
    >>> from numerics.derivations.kernel.sorts import POSITIVE
    >>> x, y = (Variable(name, range=POSITIVE) for name in "xy")
    >>> small = assume("x is small", 3 * x + y, "<=", 1)
    >>> print(show(x, "<=", (1 - y) / 3, small).op)
    <=
    >>> try:
    ...     show(2 * x, "<=", x, small)
    ... except ProofError as stop:
    ...     print(str(stop).splitlines()[0])
    2 x ≤ x is not shown
    """
    lhs, rhs = term(lhs), term(rhs)
    facts = tuple(r for r in reasons if isinstance(r, Theorem))
    hide = tuple(r for r in reasons if isinstance(r, Term))
    try:
        return arithmetic(lhs, op, rhs, *facts, hide=hide) if hide else _shown(lhs, op, rhs, facts)
    except _Left as stop:
        raise ProofError(_said((lhs, op, rhs), stop.goal, stop.why)) from None
    except ProofError as stop:
        raise ProofError(_said((lhs, op, rhs), (lhs, op, rhs), str(stop))) from None


def calc(start: Any, *steps: tuple[Any, ...]) -> Theorem:
    """A chain of relations from a term or a theorem. Each step is ``(op, term, *reasons)``; it
    is shown by `show` from the term before.

    Examples
    --------
    >>> from numerics.derivations.kernel.sorts import POSITIVE
    >>> x = Variable("x", range=POSITIVE)
    >>> print(calc(2 * x, ("<=", x**2 + 1), ("<", x**2 + 2)))
     |- (2*x) < ((x^2) + 2)
    """
    shown = [start] if isinstance(start, Theorem) else []
    at = start.rhs if isinstance(start, Theorem) else term(start)
    for op, to, *reasons in steps:
        shown.append(show(at, op, to, *reasons))
        at = term(to)
    return chain(*shown)


def positivity(X: Any, *facts: Theorem, op: str = "<=") -> Theorem:
    """``0 <= X``, or ``0 < X``, from what is known of the parts of X, and from facts."""
    X = term(X)
    return show(0, op, X, *facts)


class _Left(ProofError):
    """A goal that no way reaches, and what the prover says of it."""

    def __init__(self, lhs: Term, op: str, rhs: Term, why: str = "") -> None:
        super().__init__(why)
        self.goal, self.why = (lhs, op, rhs), why


def _said(goal: tuple[Term, str, Term], left: tuple[Term, str, Term], why: str) -> str:
    line = lambda g: as_unicode(f"${relation(*g)}$")
    rest = "" if left == goal else f"\n  left to show: {line(left)}"
    return f"{line(goal)} is not shown{rest}\n  {why}; give a fact, a step between, or letters"


def _shown(lhs: Term, op: str, rhs: Term, facts: Facts, ask: bool = True) -> Theorem:
    """The first of the ways that goes through, with or without provers; `_Left` with the goal that
    the first of them has come to if none does.
    """
    whole = tuple(_over_what_the_goal_has(lhs, rhs, f) for f in facts)
    goal = left = (lhs, op, rhs)
    why = ""
    for way in _WAYS if facts else _WITHOUT_FACTS:
        if not ask and way in (_arithmetic, _put_in_and_arithmetic):
            continue
        try:
            return way(lhs, op, rhs, facts if way in (_below, _in_one_place) else whole)
        except _Left as stop:
            left, why = stop.goal if left == goal else left, why or stop.why
        except ProofError as no:
            why = str(no) if way is _arithmetic else why
    raise _Left(*left, why)


def _over_what_the_goal_has(lhs: Term, rhs: Term, fact: Theorem) -> Theorem:
    """The fact, integrated as the goal is over what it speaks of and the goal does not; by the
    outermost integral of that sort and number of variables, of the left side if it has one.
    """
    own = lhs.free | rhs.free
    found = {(KINDS[e[0]].sort, e[2]): e for side in (rhs, lhs) for e in integrals(side)}
    for kind, heads, count in found.values():
        free = fact.lhs.free | fact.rhs.free
        new = sorted((v for v in free - own if v.sort is KINDS[kind].sort), key=lambda v: v.name)
        if len(new) == count and not {*ORIGINS} & {*new} and own.union(free).issuperset(heads):
            try:
                fact = integrate(kind, tuple(new), fact, heads)
            except ProofError:  # it may be infinite, or strict
                return fact
    return fact


def _form(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    if op == "<":
        raise ProofError("one normal form is no strict inequality")
    if not same(lhs, rhs):
        raise ProofError("another normal form")
    return equal(lhs, rhs)


def _the_facts(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    """The facts one after the other."""
    if not (same(lhs, facts[0].lhs) and same(facts[-1].rhs, rhs)):
        raise ProofError("other sides")
    return _at_least(op, chain(lhs, *facts, rhs))


def _at_least(op: str, thm: Theorem) -> Theorem:
    if thm.op not in STRENGTH[op]:
        raise ProofError(f"{thm.op} is not {op}")
    return thm


def _known_sign(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    if lhs != term(0) or not nonnegative(rhs):
        raise ProofError("no known sign")
    return arithmetic(0, op, rhs, hide=opaque(rhs))


def _put_in(lhs: Term, op: str, rhs: Term, facts: Facts, last: Callable[..., Theorem] = equal) -> Theorem:
    """The facts in places of the left side where it does not fall."""
    if op != "<=":
        raise ProofError("what is put in makes it larger")
    moves = tuple(gcongr(f.lhs, f) if f.op == "==" else f for f in facts)
    steps, at = [], lhs
    for _ in facts:
        try:
            steps.append(gcongr(at, *moves))
        except ProofError:
            break
        at = steps[-1].rhs
        if last is not equal or same(at, rhs):
            try:
                return chain(*steps, last(at, rhs))
            except ProofError:
                continue
    raise _Left(at, op, rhs)


def _put_in_and_arithmetic(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    """The same, and what is left is an equation, or an inequality, for a prover."""

    def last(a: Term, b: Term) -> Theorem:
        try:
            return arithmetic(a, "==", b)
        except ProofError:
            return _arithmetic(a, op, b, ())

    return _put_in(lhs, op, rhs, facts, last)


def _below(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    """Below a binder of both sides, or of one if the other is 0, in the variables of the facts."""
    a, b = unfolded(lhs), unfolded(rhs)
    a = without_body(b) if a == term(0) else a
    b = without_body(a) if b == term(0) else b
    if not isinstance(a, Bind) or not isinstance(b, Bind):
        raise ProofError("no integral")
    if (a.kind, a.heads, a.count) != (b.kind, b.heads, b.count):
        raise ProofError("no common integral")
    own, sort = lhs.free | rhs.free, KINDS[a.kind].sort
    known = {v.name: v for f in facts for v in f.lhs.free | f.rhs.free if v.sort is sort and v not in own}
    names = [known[name] for name in sorted(known)]
    names += [Variable(f"{sort.value}{n}", sort) for n in range(a.count)]
    mine = tuple(names[: a.count])
    left, right = (instantiated(body, dict(zip(old, mine))) for old, body in map(opened, (a, b)))
    inner = integrate(a.kind, mine, _shown(left, op, right, facts), a.heads)
    return chain(lhs, inner, rhs)


def _in_one_place(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    """Two terms that differ in one place, in which the whole rises or falls."""
    a, b = unfolded(lhs), unfolded(rhs)
    if not isinstance(a, Op) or not isinstance(b, Op) or a.head != b.head or op == "<":
        raise ProofError("no common form")
    free = a.head in ("add", "mul")
    both = Counter(a.args) & Counter(b.args) if free else Counter()
    rest = [list((Counter(e.args) - both).elements()) for e in (a, b)]
    if not free:
        rest = [[x for x, y in zip(one.args, other.args) if x != y] for one, other in ((a, b), (b, a))]
    if [len(r) for r in rest] != [1, 1]:
        raise ProofError("they differ in several places")
    (x,), (y,) = rest
    negative = [e for e in (both if a.head == "mul" else a.args[1:]) if isinstance(e, Number) and e.value < 0]
    falls = bool(negative) and a.head in ("mul", "pow")
    # Provers know of sums and products themselves.
    inner = _shown(*((y, op, x) if falls else (x, op, y)), facts, ask=not free)
    if op == "==":
        return chain(lhs, arithmetic(a, "==", b, inner, hide=opaque(x, y)), rhs)
    return chain(lhs, gcongr(a, inner), rhs)


def _multiple(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    """The goal is a sum of multiples of the facts and of terms that are the same on both sides, up
    to what is not negative.
    """
    steps, at = [], lhs
    for fact in facts:
        c = multiplier(rhs - at, fact.rhs - fact.lhs, fact.op == "==")
        if c is None:
            raise _Left(at, op, rhs)
        A, B, r = fact.lhs, fact.rhs, form(at - c * fact.lhs)
        up = "<=" if fact.op == "<" and not positive(c) else fact.op
        steps.append(arithmetic(c * A + r, up, c * B + r, fact, hide=opaque(c, A, B, r)))
        at = form(steps[-1].rhs)
    rest = form(rhs - at)
    if rest != term(0):
        if op == "==" or not nonnegative(rest):
            raise _Left(at, op, rhs)
        steps.append(arithmetic(at, "<=", at + rest, hide=opaque(at, rest)))
    return _at_least(op, chain(lhs, *steps, rhs))


def _squares(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    """From the squares of both sides."""
    if op != "<=" or len(facts) != 1 or not nonnegative(rhs):
        raise ProofError("no squares")
    return root(chain(lhs**2, facts[0], rhs**2), lhs, rhs)


def _arithmetic(lhs: Term, op: str, rhs: Term, facts: Facts) -> Theorem:
    """A prover, with the letters that are found for it; an equation it sees as it is first."""
    known = (rhs, *(s for f in facts for s in (f.lhs, f.rhs)))
    left = in_words_of(known, lhs)
    tried, said = tuple(letters(left, *known)), ""
    for hide in sorted(tried, key=bool) if op == "==" else tried:
        try:
            shown = arithmetic(left, op, rhs, *facts, hide=hide, effort=EFFORT // (10 if hide else 1))
        except ProofError as stop:
            said = said or str(stop)
        else:
            return shown if left == lhs else chain(lhs, shown)
    raise ProofError(said)


_WAYS = (_the_facts, _put_in, _multiple, _squares, _below, _in_one_place, _arithmetic, _put_in_and_arithmetic)
_WITHOUT_FACTS = (_form, _known_sign, _multiple, _below, _in_one_place, _arithmetic)
