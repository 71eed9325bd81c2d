"""The rule that speaks of classes of tokens: what is drawn with the same probabilities has the same
law.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.sorts import ProofError, Sort, whole
from numerics.derivations.kernel.terms import (
    Apply,
    Bind,
    Bound,
    Defined,
    Function,
    Given,
    Number,
    Op,
    Term,
    Variable,
    text,
)
from numerics.derivations.kernel.theorems import Theorem, _prove, check_arbitrary, read
from numerics.derivations.kernel.values import finite

__all__ = ["same_classes"]

#: What a binder of the term may be: all else might speak of other laws.
BINDERS = ("coordinates", "sum", "mean", "prompt")


def same_classes(
    e: Any,
    y: Function,
    at: tuple[Variable, Variable, Variable],
    size: Variable,
    families: tuple[Any, Any],
    squares: tuple[Theorem, Theorem],
    totals: tuple[Theorem, Theorem],
    shares: Theorem,
) -> Theorem:
    """The mean over prompts of a term in the classes of its tokens is the same for two ways to
    divide the tokens into classes with the same probabilities.

    Let A_i and B_i, for i = 1, .., K, be 0 or 1 at every token, as A_i^2 = A_i, and let them add up
    to 1 there, so that exactly one of A_1, .., A_K is 1. The law of these K numbers is then given
    by the probabilities E A_i, and that of B_1, .., B_K by E B_i, which are the same. The tokens of
    a prompt are independent, so that all of these numbers at all of its tokens together have one
    law, too, and so has every measurable function of them. The term is one: it speaks of tokens, of
    a prompt or of their law, through y_i with i = 1, .., K only, since each index of y is bound by
    a sum to K, no token is free in it, and no other function in it is of anything but indices. What
    stands for y_i speaks of the index and the token, and beside these of fixed numbers and indices.

    Parameters
    ----------
    e : Term
        What the mean over prompts is taken of.
    y : Function
        A function of an index and a token, in whose place the families are put.
    at : tuple of Variable
        The prompt, and the index i and the token at which the families are written.
    size : Variable
        The number K of classes.
    families : tuple of Term
        A_i and B_i at the token.
    squares, totals : tuple of Theorem
        ``A_i^2 == A_i`` and ``sum_i A_i == 1``, and the same of B, at every index and token.
    shares : Theorem
        ``E A_i == E B_i``, at every index.

    Raises
    ------
    ProofError
        If a premise says something else or fixes an index or token, a family may be infinite or
        speaks of something else, or the term speaks of tokens in another way.

    Examples
    --------
    A fair coin may be read the other way round: there are two classes, with one probability.

    >>> from numerics.derivations.kernel.binding import bind
    >>> from numerics.derivations.kernel.rules import arithmetic, assume, same_classes
    >>> from numerics.derivations.kernel.sorts import Sort, whole
    >>> from numerics.derivations.kernel.terms import Function, Op, Variable
    >>> P, x = Variable("P", Sort.PROMPT), Variable("x", Sort.TOKEN)
    >>> i, K = Variable("i", Sort.INDEX), Variable("K", range=whole(1))
    >>> y, of, other = (Function(name, (Sort.INDEX, Sort.TOKEN)) for name in ("y", "of", "other"))
    >>> A, B = (Op("ind", (f(i, x),)) for f in (of, other))
    >>> squares = tuple(arithmetic(X**2, "==", X) for X in (A, B))
    >>> total = lambda X: bind("coordinates", (i,), X, (K,))
    >>> one = lambda n, X: assume(f"one {n}", total(X), "==", 1, every=(x,))
    >>> totals = one("A", A), one("B", B)
    >>> mean = lambda X: bind("mean", (x,), X)
    >>> shares = assume("one law", mean(A), "==", mean(B), every=(i,))
    >>> e = total(bind("sum", (x,), y(i, x), (P,)) ** 2)
    >>> print(same_classes(e, y, (P, i, x), K, (A, B), squares, totals, shares).op)
    ==
    """
    e, (prompt, i, x) = read(e), at
    A, B = (read(family) for family in families)
    known = all(type(v) is Variable for v in (*at, size))
    if not known or [v.sort for v in at] != [Sort.PROMPT, Sort.INDEX, Sort.TOKEN] or size.range != whole(1):
        raise ProofError(f"{prompt}, {i} and {x} are no prompt, index and token, or {size} is no number")
    if type(y) is not Function or y.sorts != (Sort.INDEX, Sort.TOKEN):
        raise ProofError(f"{y} is no function of an index and a token")
    plain = (Sort.REAL, Sort.INDEX)
    for X in (A, B):
        if not finite(X) or y in X.functions or any(v.sort not in plain for v in X.free - {x}):
            raise ProofError(
                f"{text(X)} may be infinite, or speaks of something else than {i}, {x} and numbers"
            )
    if any(v.sort not in plain for v in e.free - {prompt}):
        raise ProofError(f"{text(e)} speaks of more than one prompt")
    if other := [g for g in e.functions if g != y and {*g.sorts} != {Sort.INDEX}]:
        raise ProofError(f"{text(e)} speaks of {other[0].name}, which need not have one law beside both")
    _check_sums(e, y, size, ())
    wanted = [(X**2, X) for X in (A, B)]
    wanted += [(bind("coordinates", (i,), X, (size,)), Number(Fraction(1))) for X in (A, B)]
    wanted += [(bind("mean", (x,), A), bind("mean", (x,), B))]
    premises = (*squares, *totals, shares)
    for (left, right), thm in zip(wanted, premises, strict=True):
        if (thm.lhs, thm.op, thm.rhs) != (left, "==", right):
            raise ProofError(f"{thm} is not {text(left)} == {text(right)}")
        check_arbitrary(thm, (i, x))
    left, right = (bind("prompt", (prompt,), instantiated(e, {y: ((i, x), X)})) for X in (A, B))
    return _prove(left, "==", right, "same classes", premises)


def _check_sums(e: Term, y: Function, size: Variable, bound: tuple[tuple[str, Any], ...]) -> None:
    """Pass a term in which every index of y is bound by a sum to the size; `bound` says for each
    bound variable, the innermost first, what binds it, and the head.
    """
    if isinstance(e, Given) or (isinstance(e, Bind) and e.kind not in BINDERS):
        raise ProofError(f"{text(e)} speaks of other laws than that of the tokens")
    if isinstance(e, Apply) and e.function == y:
        index = e.args[0]
        if not isinstance(index, Bound) or bound[index.index] != ("coordinates", size):
            raise ProofError(f"{text(e)} is of an index that no sum to {size} binds")
    inner = bound
    if isinstance(e, Bind):
        heads = e.heads if e.kind == "coordinates" else (None,) * e.count
        inner = (*((e.kind, head) for head in heads), *bound)
    parts = e.args if isinstance(e, Op) else (e.body,) if isinstance(e, (Bind, Defined)) else ()
    for part in parts:
        _check_sums(part, y, size, inner)
