"""Lemma D.2 of Collins et al., and its like for the bias: in a narrower window the weights are less
even, and nearer to the query on average, for every prompt.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import k, l, narrower, total, weights_in_order
from proofs_check.derivations.window.uniform.kernel_means import depth, weight

#: A width, and what a narrower window adds to it.
width, more = Variable("w_", range=NONNEGATIVE), Variable("more", range=POSITIVE)


def squares(at: Term) -> Term:
    """The sum of the squared weights of attention."""
    return total(weight(at) ** 2) / total(weight(at)) ** 2


def average_depth(at: Term) -> Term:
    """The average depth of the tokens with the weights of attention."""
    return total(weight(at) * depth) / total(weight(at))


@cache
def one_order() -> Theorem:
    """0 <= (a_k - a_l)(b_k - b_l) for the weights a at a width and b at another one."""
    here, there, gap = weight(width), weight(more), Variable("gap", range=REALS)
    depth_l = instantiated(depth, {k: l})
    lemma = arithmetic(0, "<=", (1 - exp(-2 * width * gap)) * (1 - exp(-2 * more * gap)))
    lemma = instantiate(lemma, {gap: depth_l - depth})
    return calc(
        0,
        ("<=", here * there * lemma.rhs, lemma),
        ("==", (here - instantiated(here, {k: l})) * (there - instantiated(there, {k: l}))),
    )


@cache
def less_even() -> Theorem:
    """sum gamma^2 at w is at most that at w + h."""
    found = weights_in_order(weight(width), weight(more), one_order())
    return chain(squares(width), found, squares(width + more))


@cache
def nearer() -> Theorem:
    """The average depth at w + h is at most that at w."""
    logs = Function("log a", (Sort.TOKEN,))
    at = {logs: ((k,), -2 * width * depth), Function("u", (Sort.TOKEN,)): ((k,), 2 * more * depth)}
    found = instantiate(narrower(), at)
    scale, sides = 1 / (2 * more), (found.lhs, found.rhs)
    left, right = (scale * side for side in sides)
    return chain(average_depth(width + more), show(left, "<=", right, found, *sides), average_depth(width))
