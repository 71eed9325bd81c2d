"""The proof of Lemma F.1 of Collins et al. for ReLU tasks: the mean b' = b + (l_1 + l_2) mu/2 of a
task over the sphere depends on the rest of it, and can be left out of the prediction all the same.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.affine import (
    _at,
    in_the_mean,
    l_1,
    l_2,
    minus,
    modulus,
    offset,
    plus,
    task_mean,
    uniform,
)
from proofs_check.derivations.window.prompt import Lip, i, j, k, l, mean, o, over, q, tokens
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import bounded_x as x
from proofs_check.derivations.window.signal import direction, v

mu = Variable("mu", range=POSITIVE)
M = Function("M", (Sort.INDEX, Sort.INDEX))
#: The noise of the labels, for outcomes r of its own.
r, noise = Variable("r", Sort.QUERY), Function("eps", (Sort.INDEX, Sort.QUERY), Fraction(2))
at_token, at_query = over(direction(j, k) * X(i, j, o)), over(direction(j, k) * x(j, o))
#: x_i' M x, the sum of these, and what the prediction adds of the noise.
share = over(over(X(i, j, o) * M(j, l) * x(l, o), l))
T, of_noise = tokens(share), tokens(share * noise(i, r))


def over_noise(body: Term) -> Term:
    return bind("query", (r,), body)


def whole(body: Term) -> Term:
    """The mean over points, directions, slopes and offset."""
    return mean(mean(task_mean(body), k))


centred = lambda part, z: part(z) - mu / 2
P, Q = (tokens(share * centred(part, at_token)) - centred(part, at_query) for part in (plus, minus))
average = offset(q) + (l_1(q) + l_2(q)) * mu / 2
#: The error of what is centred, with the noise.
A = l_1(q) * P + l_2(q) * Q + of_noise


@cache
def given() -> tuple[Theorem, ...]:
    """mu = E |u.y| for every point y, centred noise, and a centred query."""
    each = lambda z: mean(modulus(z), k)
    return (
        assume("mu = E |u.y| for every y of the sphere: tokens", each(at_token), "==", mu, every=(i, o)),
        assume("mu = E |u.y| for every y of the sphere: query", each(at_query), "==", mu, every=(o,)),
        assume("centred noise", over_noise(tokens(v(i) * noise(i, r))), "==", 0, every=(v,)),
        assume("E sum x_i'Mx = 0, as the query is centred", mean(T), "==", 0),
    )


def statement(square: int | Fraction = 1) -> Statement:
    """E (A - b')^2 + square E b'^2 T^2 <= E (A + b'(T - 1))^2."""
    left = whole(over_noise((A - average) ** 2)) + Fraction(square) * whole(average**2 * T**2)
    right = whole(over_noise((A + average * (T - 1)) ** 2))
    return Statement(left, "<=", right, hypotheses(uniform(), *given()))


@cache
def loss_with(factor: Term) -> Theorem:
    """E (A + factor b')^2 over the noise, the slopes and the offset, given the rest."""
    noise_ = instantiate(given()[2], {v: ((i,), share)})
    square = over_noise(of_noise**2)
    first, second = P + factor * mu / 2, Q + factor * mu / 2
    linear = l_1(q) * first + l_2(q) * second + factor * offset(q)
    inner = calc(
        over_noise((A + factor * average) ** 2),
        ("==", linear**2 + 2 * linear * noise_.lhs + square),
        ("==", linear**2 + square, noise_, linear, noise_.lhs, square),
    )
    uniform_ = _at(first, second, factor)
    return calc(
        task_mean(inner.lhs),
        ("==", task_mean(inner.rhs), inner),
        ("==", uniform_.lhs + square),
        ("==", uniform_.rhs + square, uniform_, uniform_.lhs, square),
    )


@cache
def products() -> Theorem:
    """E T(P + Q) = 0 for given points, as E |u.y| is mu at each of them."""
    token, query, _, _ = given()
    inner = show(share * (token.lhs - mu), "==", 0 * share, token, token.lhs, share)
    both = mean(P + Q, k)
    return calc(
        both,
        ("==", tokens(share * (token.lhs - mu)) - (query.lhs - mu)),
        ("==", tokens(0 * share) - (query.lhs - mu), inner),
        ("==", tokens(0 * share) - 0, query, query.lhs),
        ("==", 0),
    )


@proves("COL:F.1.drop/relu", statement)
@cache
def without() -> Theorem:
    """Both sides are equal: their difference is L^2/3 times mu E T(P + Q) - (mu^2 + 2) E T = 0."""
    less, more = loss_with(term(-1)), loss_with(T - 1)
    square, none, query = _at(mu / 2, mu / 2, 1), products(), given()[3]
    first = chain(whole(over_noise((A - average) ** 2)), in_the_mean(less))
    part = show(square.lhs * T**2, "==", square.rhs * T**2, square, square.lhs, T)
    part = chain(whole(average**2 * T**2), in_the_mean(part))
    last = in_the_mean(more)
    crossed = show(T * none.lhs, "==", 0 * T, none, T, none.lhs)
    crossed = chain(integrate("mean", (o,), crossed), 0)
    linear = Lip**2 / 3 * (mu * crossed.lhs - (mu**2 + 2) * query.lhs)
    none_ = show(-linear, "<=", 0, crossed, query, crossed.lhs, query.lhs)
    start = chain(first.lhs + part.lhs, gcongr(first.lhs + part.lhs, first, part), last.rhs + -linear)
    return chain(start, gcongr(start.rhs, none_), last.rhs, gcongr(last.rhs, last), statement().rhs)
