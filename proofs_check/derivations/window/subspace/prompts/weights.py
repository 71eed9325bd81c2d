"""Theorem H.5 of Collins et al. for prompts of every length, without noise: the weights with the
spurious parts of the scores, and without them.

The weight of the token i is alpha_i e_i: e_i = e^{lambda h_i} for its height h_i over the direction
e of Fx, and alpha_i = e^{beta_i} for what v_i adds to its score. The signal with all alpha_i less
that with equal ones is a sum over pairs of tokens, each with the factor alpha_i - alpha_g.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Defined, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import i, j, o, over, q, tokens
from proofs_check.derivations.window.subspace.equal_weights import Gx, c_v, direction, level, m, out

g = Variable("g", Sort.INDEX)
V = Function("V", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), None)
e = direction(j, q)


def height(index: Variable) -> Term:
    return over(e * X(index, j, o))


def beta(index: Variable) -> Term:
    """What the spurious part of a token adds to its score."""
    return out(V(index, m, o) * (c_v * Gx))


def alpha(index: Variable) -> Term:
    return exp(beta(index))


def plain(index: Variable) -> Term:
    """The weight without the spurious part."""
    return exp(level * height(index))


def weight(index: Variable) -> Term:
    return alpha(index) * plain(index)


S, S_0 = Defined("Z", tokens(weight(i))), Defined("Z_0", tokens(plain(i)))
centre, centre_0 = (tokens(of(i) * (X(i, j, o) - e)) for of in (weight, plain))
signal, signal_0 = over(centre**2) / S**2, over(centre_0**2) / S_0**2
gap, scale = alpha(i) - alpha(g), plain(i) * plain(g)


def pairs(body: Term) -> Term:
    return tokens(tokens(body, g))


def both(first: Term, second: Term) -> Term:
    """What stands with V, and with its value for equal alpha."""
    return first / (S**2 * S_0) + second / (S_0**2 * S)


#: (u_i - u_g).V, with the alpha and without them.
along, along_0 = (over((X(i, j, o) - X(g, j, o)) * at) for at in (centre, centre_0))


@cache
def of_pairs() -> Theorem:
    """The signal less that of equal alpha is half a sum over pairs, as V S_0 - V_0 S is one."""
    square, square_0, mixed = over(centre**2), over(centre_0**2), over(centre * centre_0)
    summed, summed_0 = (pairs(gap * (scale * at)) for at in (along, along_0))
    first = show(2 * (square * S_0 - mixed * S), "==", summed)
    second = show(2 * (mixed * S_0 - square_0 * S), "==", summed_0)
    return calc(
        signal - signal_0,
        ("==", both(first.lhs, second.lhs) / 2, square, square_0, mixed, S, S_0),
        ("==", both(summed, summed_0) / 2, first, second),
        ("==", pairs(gap * (scale * both(along, along_0))) / 2),
    )
