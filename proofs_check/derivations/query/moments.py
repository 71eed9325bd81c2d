"""Means of powers of the weights of Gaussian tokens before they are normalised: of the sum of
e^{theta score} over the tokens, and of its product with the sum of e^{rho score}.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import equal, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    SCORE,
    along_the_query,
    alpha,
    coordinates,
    covariance,
    delta,
    k,
    l,
    ones,
    picks,
    s,
    score,
    tokens,
)
from proofs_check.derivations.softmax_average.gaussian_tokens import b as slope
from proofs_check.derivations.softmax_average.gaussian_tokens import mean, n, weight_of_a_vector

theta, rho = Variable("theta", range=REALS), Variable("rho", range=REALS)


@cache
def covariance_of(one: Variable, other: Variable) -> Theorem:
    """That of the scores of two tokens."""
    return instantiate(covariance(SCORE, SCORE), {l: one, k: other})


def of_each(point: Theorem, e: Term, other: Term, of: Variable = l) -> Theorem:
    """The sums of e and of another term over tokens are the same if they are for each token, where
    delta is 1.
    """
    left, right = (instantiate(ones, {alpha: ((of,), value)}) for value in (e, other))
    own = delta(of, of)
    return calc(
        symm(left),
        (
            "==",
            tokens(own * other, of),
            integrate("coordinates", (of,), chain(own * e, point, own * other), (L,)),
        ),
        ("==", tokens(other, of), right),
    )


@cache
def count() -> Theorem:
    """The sum of delta_ll is L."""
    return chain(tokens(delta(l, l)), instantiate(ones, {alpha: ((l,), term(1))}), L)


@cache
def of_powers() -> Theorem:
    """E sum_l e^{theta score_l} is L e^{theta^2 s/2}."""
    own, value = covariance_of(l, l), exp(theta**2 * s / 2)
    at = instantiate(weight_of_a_vector(), {slope: ((n,), theta * along_the_query(l))})
    one = calc(
        at, ("==", exp(theta**2 * own.lhs / 2)), ("==", exp(theta**2 * s * delta(l, l) / 2), own, own.lhs, s)
    )
    one = chain(mean(exp(theta * score(l))), one)
    point = calc(
        delta(l, l) * one.lhs, ("==", delta(l, l) * one.rhs, one, one.lhs, s), ("==", delta(l, l) * value, s)
    )
    return calc(
        mean(tokens(exp(theta * score(l)))),
        ("==", tokens(one.lhs)),
        ("==", tokens(value), of_each(point, one.lhs, value)),
        ("==", L * value),
    )


@cache
def of_pairs() -> Theorem:
    """E sum_l e^{theta score_l} sum_k e^{rho score_k} is L e^{(theta^2 + rho^2) s/2} (L - 1 +
    e^{theta rho s}).
    """
    forms = covariance_of(l, l), covariance_of(l, k), covariance_of(k, k)
    both = theta * along_the_query(l) + rho * along_the_query(k)
    at = instantiate(weight_of_a_vector(), {slope: ((n,), both)})
    square = equal(
        coordinates(both**2), theta**2 * forms[0].lhs + 2 * theta * rho * forms[1].lhs + rho**2 * forms[2].lhs
    )
    letters = square.lhs, s, *(thm.lhs for thm in forms)
    one, other, same = delta(l, l), delta(k, k), delta(l, k)
    body = mean(exp(theta * score(l) + rho * score(k)))
    power = (theta**2 * one + 2 * theta * rho * same + rho**2 * other) * s / 2
    pair = calc(chain(body, at), ("==", exp(square.lhs / 2)), ("==", exp(power), square, *forms, *letters))
    alone, more = exp((theta**2 + rho**2) * s / 2), exp(theta * rho * s) - 1
    value = alone * (1 + same * more)
    point = calc(
        one * other * body,
        ("==", one * other * pair.rhs, pair, pair.lhs, pair.rhs),
        ("==", one * other * value, s),
    )
    point = chain(other * (one * body), point, other * (one * value))
    inner = of_each(point, one * body, one * value, k)
    inner = chain(one * tokens(body, k), inner, one * tokens(value, k))
    picked = instantiate(picks, {alpha: ((k,), term(1))})
    return calc(
        mean(tokens(exp(theta * score(l))) * tokens(exp(rho * score(k)), k)),
        ("==", tokens(tokens(body, k))),
        ("==", tokens(tokens(value, k)), of_each(inner, tokens(body, k), tokens(value, k))),
        ("==", alone * (L**2 + more * tokens(tokens(same, k)))),
        ("==", alone * (L**2 + more * tokens(one)), picked),
        ("==", alone * (L**2 + more * L), count(), count().lhs, s),
        ("==", L * alone * (L - 1 + exp(theta * rho * s)), s),
    )
