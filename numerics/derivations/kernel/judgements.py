"""The rules that speak of any statement: hypotheses, equations, chains, special cases and larger
terms in place of smaller ones. Each is stated and proved in its docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numerics.derivations.kernel.arithmetic import check_in_range
from numerics.derivations.kernel.binding import bind, instantiated, opened
from numerics.derivations.kernel.normal_form import LENGTH, normal_form
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import (
    CLOCK,
    GAUSSIAN,
    ORIGINS,
    Bind,
    Defined,
    Function,
    Number,
    Op,
    Term,
    Variable,
    term,
    text,
)
from numerics.derivations.kernel.theorems import (
    ENOUGH,
    Assumption,
    Theorem,
    _prove,
    check_arbitrary,
    read,
    speaks_of,
)
from numerics.derivations.kernel.values import BOUNDED, finite, nonnegative, order, positive, sign

__all__ = ["assume", "discharge", "equal", "gcongr", "instantiate", "trans"]


def assume(
    name: str,
    lhs: Any,
    op: str,
    rhs: Any,
    every: tuple[Variable | Function, ...] = (),
    *,
    cited: bool = False,
    argument: str = "",
) -> Theorem:
    """A hypothesis on the laws, or a cited theorem, for all values of what stands in `every`.

    It is an assumption of every theorem that uses it, under its full statement. Functions of tokens
    and variables that are not real may not be fixed by it, unless they are functions.

    Parameters
    ----------
    name : str
        What it is called wherever it is shown.
    every : tuple of Variable or Function
        What it is said for all values of.
    cited : bool
        Whether it is a theorem of somebody else.
    argument : str
        If it is another result that no rule has proved, how it holds: what rests on it is ARGUED.

    Raises
    ------
    ProofError
        If it speaks of one token, query, index or time that is not in `every`, or is named after a
        result that is neither cited nor argued.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import assume
    >>> from numerics.derivations.kernel.sorts import Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> k, f = Variable("k", Sort.TOKEN), Function("f", (Sort.TOKEN,))
    >>> print(assume("f <= 1", f(k), "<=", 1, every=(k,)))
    f <= 1 |- f(k) <= 1
    """
    made = Assumption(name, term(lhs), op, term(rhs), frozenset(every), cited, argument=argument)
    return _prove(made.lhs, op, made.rhs, f"hypothesis: {name}", own=(made,))


def equal(lhs: Any, rhs: Any) -> Theorem:
    """``lhs == rhs``, because both have one normal form.

    Raises
    ------
    ProofError
        If the normal forms differ, which proves nothing.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.kernel.binding import bind
    >>> from numerics.derivations.kernel.rules import equal
    >>> from numerics.derivations.kernel.sorts import Sort
    >>> from numerics.derivations.kernel.terms import Function, Variable
    >>> k, f = Variable("k", Sort.TOKEN), Function("f", (Sort.TOKEN,), Fraction(2))
    >>> mean = lambda body: bind("mean", (k,), body)
    >>> equal(mean((f(k) - mean(f(k))) ** 2), mean(f(k) ** 2) - mean(f(k)) ** 2).op
    '=='
    """
    lhs, rhs = read(lhs), read(rhs)
    for split in (False, True):
        left, right = normal_form(lhs, split), normal_form(rhs, split)
        if left == right:
            return _prove(lhs, "==", rhs, "normal form")
    raise ProofError(f"not equal by normal form:\n  {left}\n  {right}")


def trans(first: Theorem, second: Theorem) -> Theorem:
    """From X <= Y and Y <= Z to X <= Z, strictly if one of them is, in ``(-oo, oo]``.

    Raises
    ------
    ProofError
        If Y is not the same term in both.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import arithmetic, trans
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE
    >>> from numerics.derivations.kernel.terms import Variable
    >>> x = Variable("x", range=NONNEGATIVE)
    >>> print(trans(arithmetic(x, "<=", x + 1), arithmetic(x + 1, "<", x + 2)))
     |- x < (x + 2)
    """
    if first.rhs != second.lhs:
        raise ProofError(f"{text(first.rhs)} is not {text(second.lhs)}")
    op = "<" if "<" in (first.op, second.op) else "==" if first.op == second.op == "==" else "<="
    return _prove(first.lhs, op, second.rhs, "transitivity", (first, second))


def instantiate(thm: Theorem, values: Mapping[Any, Any], *given: Theorem) -> Theorem:
    """The theorem at terms in place of variables, and at pairs of holes and a term in place of
    functions.

    A term for a real variable is finite and in its range, which premises may help to show. A token,
    query, prompt or index is replaced by a variable of its sort. What replaces a function of a
    token or query is a finite term of the same order in the hole, for all values of its other
    variables. A path may be replaced by a point, a term in which no time occurs, where the theorem
    does not speak of its derivative: it holds for all paths, and so for the one that stays there.
    No assumption may fix what is replaced, not even one that shows a value to be in its range, for
    the functions in a value are replaced, too.

    Parameters
    ----------
    values : mapping of Variable to Term, and of Function to a pair of holes and a Term
    given : Theorem
        What may show that values are in their ranges.

    Raises
    ------
    ProofError
        If a value is not known to be finite and in its range, or an assumption fixes what is
        replaced.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import arithmetic, instantiate
    >>> from numerics.derivations.kernel.sorts import NONNEGATIVE
    >>> from numerics.derivations.kernel.terms import Variable
    >>> x, y = (Variable(name, range=NONNEGATIVE) for name in "xy")
    >>> print(instantiate(arithmetic(0, "<=", x), {x: y**2}))
     |- 0 <= (y^2)
    """
    values = dict(values)
    check_arbitrary(thm, values)
    put: dict[Any, Any] = {}
    shown: list[Theorem] = []
    for old, new in values.items():
        if type(old) is Function:
            put[old] = _function(old, *new)
            continue
        if type(old) is not Variable or old in (LENGTH, *ORIGINS):
            raise ProofError(f"{old} is no variable that may be replaced")
        put[old] = new = read(new)
        if old.sort is not new.sort or (old.sort is not Sort.REAL and type(new) is not Variable):
            raise ProofError(f"{text(new)} cannot stand for a {old.sort.value}")
        if old.range is not None:
            shown += check_in_range(new, old.range, given)
    for premise in shown:
        check_arbitrary(premise, [old for old in values if type(old) is Function])
    rates = {old.rate for old in values if type(old) is Function and Sort.TIME in old.sorts}
    for said in (thm, *shown):
        check_arbitrary(said, rates)
        if spoken := rates & speaks_of(said.lhs, said.rhs):
            names = ", ".join(g.name for g in spoken)
            raise ProofError(f"{said} speaks of {names}, the rate of what is replaced")
    return _prove(
        instantiated(thm.lhs, put), thm.op, instantiated(thm.rhs, put), "instantiate", (thm, *shown)
    )


def _function(old: Function, holes: tuple[Variable, ...], body: Any) -> tuple[tuple[Variable, ...], Term]:
    body = read(body)
    if tuple(h.sort for h in holes) != old.sorts or len(set(holes)) != len(holes) or not finite(body):
        raise ProofError(
            f"{text(body)} is no finite function of {', '.join(map(str, holes))} in place of {old.name}"
        )
    of_time = Sort.TIME in old.sorts
    point = old.order == 1 and Sort.TIME not in {v.sort for v in body.free}
    if old in (GAUSSIAN, CLOCK) or Sort.STEP in old.sorts or (of_time and not point):
        raise ProofError(
            f"{old.name} cannot be replaced: a Gaussian vector and the clock are what they are, and so "
            "is a sequence with its values one step later; a path is replaced by a point only"
        )
    hole = [h for h in holes if h.sort not in (Sort.INDEX, Sort.TIME)]
    if old.order != 0:
        found = order(body, frozenset(hole))
        if (
            found is None
            or (old.order is None and found != BOUNDED)
            or (old.order is not None and found > (1 / old.order, 0))
        ):
            raise ProofError(f"{text(body)} is not known to have the order of {old.name}")
    return holes, body


def discharge(thm: Theorem, hypothesis: Assumption, shown: Theorem) -> Theorem:
    """The theorem without a hypothesis that another one shows.

    Take laws, functions of the orders that were declared, and values of whatever is fixed, that
    meet the other assumptions of the theorem and all those of ``shown``. These fix nothing that the
    hypothesis is said for all values of, so that they are met whatever values this has, and
    ``shown`` says at each of them what the hypothesis says. So the hypothesis holds there, and the
    theorem with it. Times and steps run through one interval in both.

    Parameters
    ----------
    thm : Theorem
        Assumes the hypothesis.
    hypothesis : Assumption
        No choice of a number: that there is such a number is what its rule has shown.
    shown : Theorem
        Its relation, or a stronger one, between the same terms, without assuming it.

    Raises
    ------
    ProofError
        If the theorem does not assume the hypothesis, it is a choice, or ``shown`` says something
        else, assumes it, or fixes something that it is said for all values of.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import arithmetic, assume, discharge
    >>> from numerics.derivations.kernel.sorts import POSITIVE
    >>> from numerics.derivations.kernel.terms import Variable
    >>> x, y, z = (Variable(name, range=POSITIVE) for name in "xyz")
    >>> first, second = assume("x <= y", x, "<=", y), assume("y <= z", y, "<=", z)
    >>> wide = assume("x <= 2z", x, "<=", 2 * z)
    >>> (hypothesis,) = wide.assumptions
    >>> shown = arithmetic(x, "<=", 2 * z, first, second)
    >>> print(discharge(arithmetic(x, "<=", 3 * z, wide), hypothesis, shown))
    x <= y, y <= z |- x <= (3*z)
    """
    if type(hypothesis) is not Assumption or not type(thm) is type(shown) is Theorem:
        raise ProofError(f"{hypothesis} is no hypothesis, or a premise is no theorem")
    own = [a for a in thm.assumptions if a == hypothesis]
    if len(own) != 1 or own[0].chosen is not None:
        raise ProofError(f"{hypothesis.name} is not assumed, or is the choice of a number")
    (hypothesis,) = own  # what the theorem assumes, whatever was given
    if hypothesis in shown.assumptions:
        raise ProofError(f"the premise assumes {hypothesis.name}, which it is to show")
    if (shown.lhs, shown.rhs) != (hypothesis.lhs, hypothesis.rhs) or shown.op not in ENOUGH[hypothesis.op]:
        raise ProofError(f"{shown} is not {hypothesis}")
    check_arbitrary(shown, hypothesis.every)
    kept = tuple(thm.assumptions - {hypothesis})
    return _prove(thm.lhs, thm.op, thm.rhs, "discharge", (shown,), own=kept, inner=(thm,))


def gcongr(e: Any, *premises: Theorem) -> Theorem:
    """``e <= e'``, where smaller sides of premises are replaced by larger ones in places in which
    the term does not fall, and larger ones by smaller ones in places in which it does not rise.

    A sum rises in its terms, a product of nonnegative factors in each, a power with a positive
    exponent in its nonnegative base, the exponential, the logarithm, an indicator, largest and
    smallest values in their arguments, and an integral in what is integrated; a negative factor and
    a negative exponent turn the direction.

    Raises
    ------
    ProofError
        If nothing could be replaced.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import arithmetic, gcongr
    >>> from numerics.derivations.kernel.sorts import POSITIVE
    >>> from numerics.derivations.kernel.terms import Variable
    >>> x, y = (Variable(name, range=POSITIVE) for name in "xy")
    >>> print(gcongr(y * x, arithmetic(x, "<=", x + 1)))
     |- (y*x) <= (y*(x + 1))
    """
    e = read(e)
    up: dict[Term, Term] = {}
    down: dict[Term, Term] = {}
    for p in premises:
        up.setdefault(p.lhs, p.rhs)
        down.setdefault(p.rhs, p.lhs)
        if p.op == "==":
            up.setdefault(p.rhs, p.lhs)
            down.setdefault(p.lhs, p.rhs)
    out = _moved(e, up, down, True)
    if out == e:
        raise ProofError(f"no side of a premise stands in {text(e)} at a place where it may be replaced")
    return _prove(e, "<=", out, "gcongr", premises)


def _moved(e: Term, up: Mapping[Term, Term], down: Mapping[Term, Term], rising: bool) -> Term:
    """A term that is not smaller, or, if not rising and with the maps exchanged, not larger."""
    if e in up:
        return up[e]
    more: Callable[[Term], Term] = lambda a: _moved(a, up, down, rising)
    less: Callable[[Term], Term] = lambda a: _moved(a, down, up, not rising)
    fine = lambda a: rising or nonnegative(a)  # what is larger than a nonnegative term is nonnegative
    if isinstance(e, Defined):
        body = more(e.body)
        return e if body == e.body else body
    if isinstance(e, Bind):
        names, body = opened(e)
        moved = more(body)
        return e if moved == body else bind(e.kind, names, moved, e.heads)
    if not isinstance(e, Op):
        return e
    if e.head in ("add", "exp", "log", "max", "min", "ind", "above"):
        return Op(e.head, tuple(map(more, e.args)))
    if e.head == "pow":
        base, exponent = e.args
        if sign(exponent) >= 1 and nonnegative(base) and fine(more(base)):
            return Op("pow", (more(base), exponent))
        if isinstance(exponent, Number) and exponent.value < 0 and positive(less(base)):
            return Op("pow", (less(base), exponent))
        return e
    unknown = [n for n, a in enumerate(e.args) if not nonnegative(a)]
    negative = [n for n in unknown if isinstance(e.args[n], Number)]
    new: tuple[Term, ...] = e.args
    if not unknown:
        new = tuple(map(more, e.args))
        return Op("mul", new) if all(map(fine, new)) else e
    if len(unknown) == len(negative) == 1:  # a negative number times nonnegative factors
        new = tuple(a if n in unknown else less(a) for n, a in enumerate(e.args))
        return Op("mul", new) if all(nonnegative(a) for n, a in enumerate(new) if n not in unknown) else e
    if len(unknown) - len(negative) == 1 and len(negative) <= 1:  # the factor of unknown sign moves
        move = less if negative else more
        new = tuple(move(a) if n in unknown and n not in negative else a for n, a in enumerate(e.args))
    return Op("mul", new)
