"""The first display of the proofs of Lemmas C.6 and C.9 of Boursier & Boyer on instances: the error
averaged over the query is split at |z| = B, and a factor g(z) is taken out of it. Queries have one
length, so that all of them lie inside the ball or all of them outside; the inequalities themselves
are those at every query, averaged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from numerics.attention.exact.softmax_average import SoftmaxAverage
from numerics.counterexamples.worst_case.query_average import (
    Instance,
    PromptAndQuery,
    fourth_error,
    squared_error,
)
from numerics.counterexamples.worst_case.query_average_bound import QueryAverageBound, Term
from numerics.counterexamples.worst_case.query_average_instances import discrete
from numerics.provers.enclosures.balls import value
from numerics.rationals import arb_ball

__all__ = ["Bound", "expected_maximum", "instances", "products", "split"]

#: (L, a2, sqrt(E|f|^4), sigma^2, C_f, d, E|Z|^4) to the bound of Lemma C.4 or C.7 at one query.
Bound = Callable[..., Any]
LENGTHS = (1, 2, 3, 10)
#: Beyond this sigma^2 |Uz|^2 the printed bounds are astronomical, or not a float.
LARGEST_SCORE = 4
#: f is scaled by this: the left side of Lemma C.4 is quadratic in f, and 244 is where that shows.
SCALE = 244


@dataclass(frozen=True)
class _Product:
    """A product f(z_1) g(z) that is linear in f(z_1), with |f(z_1) g(z)| <= |f(z_1)| |g(z)|. ``f``
    maps tokens of shape (k, d) to values of shape (m, k), and ``times`` multiplies columns of such
    values by g of a query; ``square`` is |g|^2 at a query, and ``growth`` the largest |f(z_1)
    g|^2/|z_1|^2.
    """

    name: str
    f: Callable[[Any], Any]
    times: Callable[[Any, Any], Any]
    d: int
    square: Callable[[Any], Any]
    growth: Callable[[Any], Any]


def _norm(z: Any) -> Any:
    return (z * z).sum(0)


#: In the first two |f(z_1) g| = |f(z_1)| |g|, but a difference of values of f may grow.
PRODUCTS = (
    _Product(
        "f(z) = (max(z, 0), max(-z, 0)), f g = (f_1 - f_2) g, g = 1",
        lambda at: np.stack([(abs(at[:, 0]) + at[:, 0]) / 2, (abs(at[:, 0]) - at[:, 0]) / 2]),
        lambda values, z: values[0] - values[1],
        1,
        lambda z: 1,
        lambda z: 1,
    ),
    _Product(
        "f(z) = (|z|, 3z/4), f g = (5/3) f_2 g, g = 1",
        lambda at: np.stack([abs(at[:, 0]), 3 * at[:, 0] / 4]),
        lambda values, z: 5 * values[1] / 3,
        1,
        lambda z: 1,
        lambda z: Fraction(25, 16),
    ),
    _Product(
        "f(z) = z, g(z) = z, f g the inner product",
        lambda at: at.T,
        lambda values, z: (z[:, None] * values).sum(0),
        2,
        _norm,
        _norm,
    ),
)


def _score(x: PromptAndQuery) -> Fraction:
    """Return sigma^2 |Uz|^2, the same for every query."""
    return x.tokens.sigma2 * x.u**2 * sum((v * v for v in x.query.atoms[0]), Fraction(0))


def instances(meant: QueryAverageBound) -> Iterator[Instance]:
    """List the instances of a statement, short prompts first: queries of one length, and scores for
    which the printed bounds are numbers.
    """
    laws = [
        x
        for x in discrete()
        if len({sum(v * v for v in q) for q in x.query.atoms}) == 1 and _score(x) <= LARGEST_SCORE
    ]
    yield from sorted(meant.instances(laws, lambda x: LENGTHS), key=lambda i: int(i.where["L"]))


def _at_each_query(bound: Bound, growth: Any, values: Callable[[Any, Any, Any], Any]) -> Callable[[Any], Any]:
    """Return the mean over the query of the bound for a function of the tokens with |f|^2 <= growth
    |z_1|^2, whose `values` at tokens depend on the query.
    """

    def right(at: Any) -> Any:
        exact = isinstance(at.L, sp.Basic)
        root = sp.sqrt if exact else np.sqrt
        norm = at.over_tokens(lambda tokens: (tokens * tokens).sum(1) ** 2)

        def one(z: Any) -> Any:
            square = growth(z) * (sp.S.One if exact else 1.0)
            if exact and not square:  # where g(z) = 0 there is nothing to show
                return sp.S.Zero
            some = sp.S.One if exact else np.where(square, 1.0, 0.0)
            F4 = root(at.over_tokens(lambda tokens: values(at, z, tokens) ** 4))
            return some * bound(at.L, at.score(z), F4, at.sigma**2, root(square + (1 - some)), at.d, norm)

        return at.over_queries(one)

    return right


def products(order: int, bound: Bound | None = None) -> QueryAverageBound:
    """Bound E|(R_L/S_L - R/S) g|^order, of order 2 or 4, for the products above. The right side is
    `bound` for the function z_1 -> f(z_1) g(z), with f scaled by 244; without it, E|R_L/S_L -
    R/S|^order |g|^order, as printed.
    """
    return QueryAverageBound(tuple(_product(order, bound, product) for product in PRODUCTS), d=(1, 2))


def _product(order: int, bound: Bound | None, product: _Product) -> Term:
    scale = 1 if bound is None else SCALE
    f = lambda tokens: scale * product.f(tokens)
    error = partial(_error_of_the_product, order, product)
    where = {"product": product.name, "scale of f": scale}
    if bound is None:
        apart, norm = (
            squared_error if order == 2 else fourth_error,
            lambda z: product.square(z) ** (order // 2),
        )
        return Term(lambda at: at.mean(error, f), lambda at: at.mean(apart, f, norm), where, product.d)
    values = lambda at, z, tokens: product.times(at.columns(f(tokens)), z)
    return Term(
        lambda at: at.mean(error, f),
        _at_each_query(bound, lambda z: scale**2 * product.growth(z), values),
        where,
        product.d,
    )


def _error_of_the_product(order: int, product: _Product, c: SoftmaxAverage, z: Any) -> Any:
    error = product.times(c.R_L / c.S_L - (c.R / c.S)[:, None], z)
    square = error * error  # a power of a ball around 0 has no enclosure
    return (c.weight * (square if order == 2 else square * square)).sum(0)


def split(order: int, bound: Bound, outside: Fraction) -> QueryAverageBound:
    """Bound both sides of the split of order 2 or 4 for g = 1: inside the ball with f = 244 z, by
    the bound of Lemma C.4 or C.7, and outside it with f = z and the factor 2 or 8 of ``(a +
    b)^order <= outside (a^order + b^order)``.
    """
    error = squared_error if order == 2 else fourth_error
    f = lambda tokens: SCALE * tokens.T
    within = _at_each_query(bound, lambda z: SCALE**2, partial(_first_column, f))
    both, limit = (partial(_outside, order, i) for i in (True, False))
    times = lambda at, value: (arb_ball(outside) if isinstance(value, arb) else float(outside)) * value
    second = lambda at: times(at, at.mean(both))
    third = lambda at: times(at, _ball(expected_maximum(at, order)) + at.mean(limit))
    beyond = {"f": "z", "B": "1/2"}
    terms = (
        Term(lambda at: at.mean(error, f), within, {"f": f"{SCALE} z", "B": 1}, 1),
        Term(lambda at: at.mean(error), second, {**beyond, "line": "second"}, 1),
        Term(second, third, {**beyond, "line": "third"}, 1),
    )
    return QueryAverageBound(terms, d=(1,))


def _first_column(f: Callable[[Any], Any], at: Any, z: Any, tokens: Any) -> Any:
    return at.columns(f(tokens))[0]


def _ball(number: Any) -> Any:
    return value(number).real if isinstance(number, sp.Basic) else number


def _outside(order: int, both: bool, c: SoftmaxAverage, z: Any) -> Any:
    """Return the mean of |R_L/S_L|^order + |R/S|^order, or the latter alone."""
    power = lambda square: square if order == 2 else square * square
    limit = power(((c.R / c.S) * (c.R / c.S)).sum(0))
    average = c.R_L / c.S_L
    return (c.weight * power((average * average).sum(0))).sum(0) + limit if both else limit


def expected_maximum(at: Any, order: int) -> Any:
    """Return E max|z_k|^order, from the probabilities that some token is as large as each."""
    tokens, weights = at.tokens
    sizes, total, beyond = (tokens * tokens).sum(1) ** (order // 2), 0 * at.L, 0
    ascending = sorted(range(len(sizes)), key=lambda i: float(sizes[i]))
    for i, smaller in reversed(list(zip(ascending, [None, *ascending]))):
        beyond = beyond + weights[i]
        some = 1 - (1 - beyond) ** at.L if isinstance(at.L, sp.Basic) else _some(float(beyond), at.L)
        total = total + (sizes[i] - (0 if smaller is None else sizes[smaller])) * some
    return total


def _some(probability: float, L: Any) -> Any:
    """Return the probability that one of L tokens is of a kind."""
    return -np.expm1(L * math.log1p(-probability)) if probability < 1 else 1.0
