"""Lemma 2.1, last sentence: attention maps its own Gaussian prompt measure N(mu, Gamma), with Gamma
= R R' of any rank, to a Gaussian law, by the moment generating function of the output.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import cauchy_schwarz, exp
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.lengths import absolute, real
from proofs_check.derivations.gaussian_tokens.moments import equality
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import (
    R,
    b,
    excess,
    mu,
    n,
    rank,
    tilted,
    tilted_mean,
    weight_of_a_vector,
)
from proofs_check.derivations.softmax_average.query_average import U, V, l
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, j, m, over

h, s = Variable("h", Sort.NORMAL), Variable("s", Sort.INDEX)
c, r = (Function(name, (Sort.INDEX,)) for name in "cr")
#: The query is a token of the prompt's own law.
query = mu(l) + over(n, rank, R(l, n) * GAUSSIAN(n, h))


def weighted(vector: Term) -> Term:
    """c.V u for a vector u with terms in j."""
    return over(i, m, c(i) * over(j, d, V(i, j) * vector))


def gamma(vector: Term) -> Term:
    """Gamma u for a vector u with terms in j, as a term in j."""
    return over(s, rank, R(j, s) * over(l, d, R(l, s) * instantiated(vector, {j: l})))


@cache
def of_a_row() -> Theorem:
    """r.T = r.(mu + Gamma a) for the mean T of the tilted tokens at the score a.Z, and every r."""
    row = over(j, d, r(j) * R(j, n))
    left, right = over(j, d, r(j) * tilted), over(j, d, r(j) * (mu(j) + gamma(a(j))))
    schwarz = cauchy_schwarz("coordinates", (n,), row, excess, (rank,))
    none = calc((left - right) ** 2, ("<=", schwarz.rhs, schwarz), ("<=", 0, tilted_mean()))
    below, above = (show(x, "<=", y, none, left, right) for x, y in ((left, right), (right, left)))
    return equality(below, above)


@cache
def affine() -> Theorem:
    """c.V T = c.V(mu + Gamma a) for every c."""
    rows = instantiate(of_a_row(), {r: ((j,), over(i, m, c(i) * V(i, j)))})
    return show(weighted(tilted), "==", weighted(mu(j) + gamma(a(j))), rows)


def rotated(vector: Term) -> Term:
    """U u for a vector u with terms in l, as a term in j."""
    return over(l, d, U(j, l) * vector)


def statement(factor: int = 1) -> Statement:
    """E e^{c.T} = e^{factor(c.V(I + Gamma U)mu + c' M Gamma M' c/2)} for every c, with M = V Gamma
    U: the law of the output T is Gaussian with that mean and covariance.
    """
    output = weighted(instantiated_at_the_query(tilted))
    average = weighted(mu(j) + gamma(rotated(mu(l))))
    variance = over(n, rank, absolute(slope()) ** 2)
    return Statement(
        bind("normal", (h,), exp(output)), "==", exp(factor * average) * exp(factor * variance / 2)
    )


def slope() -> Term:
    """(R' M' c)_n with M = V Gamma U."""
    return weighted(gamma(rotated(R(l, n))))


def instantiated_at_the_query(e: Term) -> Term:
    """A term in the score a, at a = U z for the query z."""
    return instantiated(e, {a: ((j,), rotated(query))})


@proves("BB:L2.1.b", statement)
@cache
def theorem() -> Theorem:
    """The output is affine in the Gaussian query, whose generating function is known."""
    at = instantiate(affine(), {a: ((j,), rotated(query))})
    same = show(exp(at.lhs), "==", exp(at.rhs), at, at.lhs, at.rhs)
    constant = exp(weighted(mu(j) + gamma(rotated(mu(l)))))
    law = instantiate(of_a_direction(), {b: ((n,), slope())})
    return calc(
        statement().lhs,
        ("==", constant * law.lhs, integrate("normal", (h,), same)),
        ("==", constant * law.rhs, law, constant, law.rhs),
    )


@cache
def of_a_direction() -> Theorem:
    """E e^{b.xi} = e^{|b|^2/2}, with absolute values."""
    same = instantiate(show(real**2, "==", absolute(real) ** 2), {real: b(n)})
    return calc(weight_of_a_vector(), ("==", exp(over(n, rank, absolute(b(n)) ** 2) / 2), same))
