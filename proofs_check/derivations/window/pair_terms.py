"""R13: the square of an average over tokens, by single tokens and pairs."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import equal
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Defined, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves

k, l, prompt = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN), Variable("prompt", Sort.PROMPT)
#: The weight of a token, which is positive, and P_k at its height.
w, P = exp(Function("log W", (Sort.TOKEN,))(k)), Function("P", (Sort.TOKEN,))(k)


def total(body: Term) -> Term:
    """The sum over the tokens."""
    return bind("sum", (k,), body, (prompt,))


def pairs(body: Term) -> Term:
    """The sum over the pairs of two tokens, in both orders."""
    return bind("sum", (k, l), body, (prompt,))


def at_l(e: Term) -> Term:
    """The same of the token l."""
    return instantiated(e, {k: l})


S = Defined("S", total(w))
left = 1 - 2 * total(w * P) / S + total(w**2) / S**2 + pairs(w * at_l(w) * (P * at_l(P))) / S**2


def statement(diagonal: int | Fraction = 2) -> Statement:
    """1 - 2 sum gamma P + sum gamma^2 + sum over pairs gamma_k gamma_l P_k P_l is `diagonal` times
    sum gamma^2(1 - P), and the sum over pairs of gamma_k gamma_l (1 - P_k)(1 - P_l).
    """
    return Statement(left, "==", right(diagonal))


@proves("OURS:R13/weights", statement)
@cache
def by_pairs() -> Theorem:
    """With weights of sum 1 the terms of the definition are twice those of single tokens, and those
    of pairs.
    """
    squares, both = total(w**2), pairs(w * at_l(w))
    single, mixed, products = total(w**2 * P), pairs(w * at_l(w) * P), pairs(w * at_l(w) * (P * at_l(P)))
    whole, average = equal(S**2, squares + both), equal(S * total(w * P), single + mixed)
    above = S**2 - 2 * (S * total(w * P)) + squares + products
    parts = 2 * (squares - single) + both - 2 * mixed + products
    letters = (S**2, S * total(w * P), squares, both, single, mixed, products)
    same = show(above, "==", parts, whole, average, *letters)
    return calc(left, ("==", above / S**2), ("==", parts / S**2, same, above, parts, S), ("==", right(2)))


def right(diagonal: int | Fraction) -> Term:
    """`diagonal` times sum W^2(1 - P), and the pairs of W(1 - P), over S^2."""
    q = 1 - P
    return Fraction(diagonal) * total(w**2 * q) / S**2 + pairs(w * at_l(w) * (q * at_l(q))) / S**2
