"""R7: the attention, the scores, the gradient and the loss at a matrix that is a number times the
one matrix of equiangular features, as after any time of the flow and any steps of gradient descent.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.terms import Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.gradient import gradient_on_the_line, updates
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    adds_up,
    attention,
    c,
    common,
    each_class,
    errors,
    f,
    here,
    i,
    j,
    k,
    m,
    mean,
    n,
    of_k,
    of_m,
    of_n,
    r,
    score,
    spread,
    task,
    v,
    x,
    zero_or_one,
)
from proofs_check.derivations.features.equiangular.weights import (
    length_on_the_line,
    own_attention_on_the_line,
    score_on_the_line,
)
from proofs_check.derivations.features.steps import scaled

__all__ = [
    "at_the_number",
    "attention_of",
    "by_moments",
    "gradient",
    "gradient_of",
    "loss",
    "loss_of",
    "own_attention_of",
    "score_of",
]


def prediction(X: Term) -> Term:
    return of_n(instantiated(attention(X), {m: n}) * f(n, task))


def gradient(X: Term) -> Term:
    """An entry of minus the gradient of the loss in Q, by R7.H, at a matrix with the entries X."""
    product = (f(k, task) - prediction(X)) * (f(m, task) - prediction(X))
    return of_k(of_m(v(m, i) * (attention(X) * mean(product)) * v(k, j))) / K


def loss(X: Term) -> Term:
    return of_k(mean((f(k, task) - prediction(X)) ** 2)) / (2 * K)


def by_moments(X: Term) -> Theorem:
    """The gradient with the second moments of the tasks put in."""
    each = scaled(v(m, i) * attention(X) * v(k, j), errors(X))
    total = integrate("coordinates", (k,), integrate("coordinates", (m,), each, (K,)), (K,))
    return calc(
        gradient(X),
        ("==", 1 / K * total.lhs),
        ("==", 1 / K * total.rhs, scaled(1 / K, total)),
        ("==", updates(X)),
    )


# In what follows `matrix` says that the entries of a matrix are x times those of the one, and
# `positive` that x is not negative, with any number for x.


def at_the_number(thm: Theorem, positive: Theorem) -> Theorem:
    """A theorem on the line, at the number."""
    return instantiate(thm, {x: positive.rhs}, positive)


@cache
def score_of(matrix: Theorem, positive: Theorem) -> Theorem:
    """The score of the query k on the class m is x (delta_mk - delta_mm delta_kk/K)."""
    moved = integrate("coordinates", (i, j), scaled(v(m, i) * v(k, j), matrix), (r, r))
    there = at_the_number(score_on_the_line(), positive)
    return calc(score(matrix.lhs), ("==", moved.lhs), ("==", there.rhs, moved, there))


@cache
def attention_of(matrix: Theorem) -> Theorem:
    """The attention at the matrix is that at what it equals."""
    X, at = matrix.lhs, matrix.rhs
    moved = scaled(v(m, i) * v(k, j), matrix)
    scores = chain(score(X), integrate("coordinates", (i, j), moved, (r, r)), score(at))
    odds = show(exp(score(X)), "==", exp(score(at)), scores)
    total = integrate("coordinates", (m,), odds, (K,))
    inverse = show(1 / total.lhs, "==", 1 / total.rhs, total, total.lhs, total.rhs)
    return calc(
        attention(X),
        ("==", 1 / total.lhs * odds.lhs),
        ("==", 1 / total.lhs * odds.rhs, scaled(1 / total.lhs, odds)),
        ("==", odds.rhs * (1 / total.lhs)),
        ("==", odds.rhs * (1 / total.rhs), scaled(odds.rhs, inverse)),
        ("==", attention(at)),
    )


@cache
def gradient_of(matrix: Theorem, positive: Theorem) -> Theorem:
    """Minus the gradient, by moments, is kappa^2 times the speed of x, times the one matrix."""
    X, at, first = matrix.lhs, matrix.rhs, attention_of(matrix)
    A, w = first.lhs, first.rhs
    powers = integrate("coordinates", (m,), show(A**2, "==", w**2, first, A, w), (K,))
    facts = first, instantiate(first, {m: k}), powers, adds_up(X), adds_up(at)
    letters = [side for fact in facts for side in (fact.lhs, fact.rhs) if side != term(1)]
    each = show(A * errors(X).rhs, "==", w * errors(at).rhs, *facts, *letters)
    moved = scaled(v(m, i) * v(k, j), each)
    total = integrate("coordinates", (k,), integrate("coordinates", (m,), moved, (K,)), (K,))
    there = at_the_number(gradient_on_the_line(), positive)
    return calc(
        by_moments(X),
        ("==", 1 / K * total.lhs),
        ("==", 1 / K * total.rhs, scaled(1 / K, total)),
        ("==", there.rhs, there),
    )


@cache
def own_attention_of(matrix: Theorem, positive: Theorem) -> Theorem:
    """delta_kk A_kk = delta_kk e^x/(e^x + M)."""
    moved = scaled(here, instantiate(attention_of(matrix), {m: k}))
    there = at_the_number(own_attention_on_the_line(), positive)
    return calc(moved, ("==", there.rhs, there))


def _sum_of_squares(matrix: Theorem, positive: Theorem) -> Theorem:
    same = attention_of(matrix)
    each = show(same.lhs**2, "==", same.rhs**2, same, same.lhs, same.rhs)
    total = scaled(here, integrate("coordinates", (m,), each, (K,)))
    there = at_the_number(length_on_the_line(), positive)
    return calc(total, ("==", there.rhs, there))


@cache
def loss_of(matrix: Theorem, positive: Theorem) -> Theorem:
    """The loss is (sigma_f^2/2) K (K - 1)/(e^x + K - 1)^2."""
    X, E = matrix.lhs, exp(positive.rhs)
    y, of_own, of_squares = 1 / (E + M), own_attention_of(matrix, positive), _sum_of_squares(matrix, positive)
    own = instantiated(attention(X), {m: k})
    length = of_n(instantiated(attention(X), {m: n}) ** 2)
    expanded, square = instantiate(errors(X), {m: k}), instantiate(zero_or_one, {m: k})
    S = adds_up(X)
    kept = instantiate(each_class, {c: ((k,), expanded.rhs)})
    none = calc(
        here * (common * (here - S.lhs) * (here - S.lhs)),
        ("==", here * (common * (here - 1) * (here - 1)), S, S.lhs, here),
        ("==", common * (here - 1) * here**2 - common * (here - 1) * here),
        ("==", 0, scaled(common * (here - 1), square)),
    )
    value = spread * (M * (M + 1)) * y**2
    each = calc(
        here * expanded.rhs,
        ("==", spread * (here**2 - 2 * here * (here * own) + here * length) + none.lhs),
        ("==", spread * (here**2 - 2 * here * (here * own) + here * length), none),
        ("==", spread * (here - 2 * here * (here * own) + here * length), scaled(spread, square)),
        (
            "==",
            spread * (here - 2 * here * (here * (E * y)) + here * length),
            scaled(-2 * spread * here, of_own),
        ),
        (
            "==",
            spread * (here - 2 * E * y * here**2 + here * ((E**2 + M) * y**2)),
            scaled(spread, of_squares),
        ),
        (
            "==",
            spread * (here - 2 * E * y * here + here * ((E**2 + M) * y**2)),
            scaled(-2 * spread * E * y, square),
        ),
        ("==", here * value, here, E),
    )
    moments = integrate("coordinates", (k,), expanded, (K,))
    gated = integrate("coordinates", (k,), each, (K,))
    all_ = calc(of_k(here), ("==", of_k(term(1)), instantiate(each_class, {c: ((k,), term(1))})), ("==", K))
    return calc(
        loss(X),
        ("==", 1 / (2 * K) * moments.lhs),
        ("==", 1 / (2 * K) * moments.rhs, scaled(1 / (2 * K), moments)),
        ("==", 1 / (2 * K) * gated.lhs, scaled(1 / (2 * K), symm(kept))),
        ("==", 1 / (2 * K) * gated.rhs, scaled(1 / (2 * K), gated)),
        ("==", value / (2 * K) * all_.lhs),
        ("==", value / (2 * K) * K, scaled(value / (2 * K), all_)),
        ("==", spread / 2 * (M * (M + 1)) * y**2),
    )
