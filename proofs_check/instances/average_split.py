"""The first display of the proofs of Lemmas C.6 and C.9 of Boursier & Boyer on instances: the error
averaged over the query is split at |z| = B, and a factor g(z) is taken out of it.

Queries have one length, so that all of them lie inside the ball or all of them outside.
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

from numerics.attention.softmax_average import SoftmaxAverage
from numerics.rationals import arb_ball, sympy_rational
from numerics.search.query_average import Instance, PromptAndQuery, fourth_error, squared_error
from numerics.search.query_average_instances import discrete

__all__ = ["Bound", "product_instances", "split_instances"]

#: (L, a2, sqrt(E|f|^4), sigma^2, C_f, d, E|Z|^4) to the bound of Lemma C.4 or C.7 at one query.
Bound = Callable[..., Any]
LENGTHS = (1, 2, 3, 10)
#: Beyond this sigma^2 |Uz|^2 the printed bounds are astronomical, or not a float.
LARGEST_SCORE = 4
#: f is scaled by this: the left side of Lemma C.4 is quadratic in f, and 244 is where that shows.
SCALE = 244


@dataclass(frozen=True)
class _Product:
    """A product f(z_1) g(z) that is linear in f(z_1), with |f(z_1) g(z)| <= |f(z_1)| |g(z)|.

    ``f`` maps tokens of shape (k, d) to values of shape (m, k), and ``times`` multiplies columns of
    such values by g of a query; ``square`` is |g|^2 at a query, and ``growth`` the largest |f(z_1)
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
    _Product("f(z) = z, g(z) = z, f g the inner product", lambda at: at.T, lambda values, z: (z[:, None] * values).sum(0), 2, _norm, _norm),
)


def _instances(d: int) -> Iterator[PromptAndQuery]:
    for x in discrete():
        of_one_length = len({sum(v * v for v in q) for q in x.query.atoms}) == 1
        if x.d == d and of_one_length and _score(x) <= LARGEST_SCORE:
            yield x


def _score(x: PromptAndQuery) -> Fraction:
    """Return a2 = sigma^2 |Uz|^2, the same for every query."""
    return x.tokens.sigma2 * x.u**2 * sum((v * v for v in x.query.atoms[0]), Fraction(0))


def _exactly(value: Fraction) -> sp.Expr:
    return sympy_rational(Fraction(value))


def _inside(bound: Bound, length: int, x: PromptAndQuery, growth: Fraction, fourth: Fraction, number: Any) -> Any:
    """Return the bound for a function with |f(z)|^2 <= growth |z|^2 and E|f|^4 = fourth."""
    root = sp.sqrt if number is _exactly else math.sqrt
    Z4 = sum((w * sum((v * v for v in a), Fraction(0)) ** 2 for w, a in zip(x.tokens.weights, x.tokens.atoms)), Fraction(0))
    at = (number(v) for v in (Fraction(length), _score(x)))
    sigma2 = number(x.tokens.sigma2)
    return bound(*at, root(number(fourth)), sigma2, root(number(growth)), number(Fraction(x.d)), number(Z4))


def product_instances(order: int, bound: Bound | None = None) -> Iterator[Instance]:
    """List E|(R_L/S_L - R/S) g|^order for the products above.

    Parameters
    ----------
    order : {2, 4}
    bound : callable, optional
        The right side is this bound for the function z_1 -> f(z_1) g(z), with f scaled by 244;
        otherwise it is E|R_L/S_L - R/S|^order |g|^order, as printed.

    Returns
    -------
    iterator of Instance

    Examples
    --------
    One token, 1 or -1: with f = (z_+, z_-) the first product of the error is twice the error.

    >>> first = next(product_instances(2))
    >>> first.left, first.right
    (1.0, 0.5)
    """
    for length in LENGTHS:
        for product in PRODUCTS:
            for x in _instances(product.d):
                yield _product_at(order, bound, product, x, length)


def _product_at(order: int, bound: Bound | None, product: _Product, x: PromptAndQuery, length: int) -> Instance:
    scale = 1 if bound is None else SCALE
    f = lambda at: scale * product.f(at)
    left = partial(x.average, length, partial(_error_of_the_product, order, product), f)
    sigma = sp.sqrt(sympy_rational(x.tokens.sigma2))
    where = {"L": length, "sigma": sigma, "product": product.name, "scale of f": scale, **x.describe()}
    if bound is None:
        apart = partial(x.average, length, squared_error if order == 2 else fourth_error, f)
        norm = product.square ** (order // 2)
        return Instance(where, float(left()), norm * float(apart()), lambda: (left(exact=True), norm * apart(exact=True)))
    of_f = np.array([[Fraction(v) for v in atom] for atom in x.tokens.atoms], dtype=object)
    values = product.times(f(of_f), np.array(x.query.atoms[0], dtype=object))
    fourth = sum((w * v**4 for w, v in zip(x.tokens.weights, values)), Fraction(0))
    inside = partial(_inside, bound, length, x, scale**2 * product.growth, fourth)
    return Instance(where, float(left()), float(inside(float)), lambda: (left(exact=True), inside(_exactly)))


def _error_of_the_product(order: int, product: _Product, c: SoftmaxAverage, z: Any) -> Any:
    error = product.times(c.R_L / c.S_L - (c.R / c.S)[:, None], z)
    square = error * error  # a power of a ball around 0 has no enclosure
    return (c.weight * (square if order == 2 else square * square)).sum(0)


def split_instances(order: int, bound: Bound, outside: Fraction) -> Iterator[Instance]:
    """List both sides of the split for g = 1 and queries of signs: inside the ball with B = 1 and
    f = 244 z, and outside it with B = 1/2 and f = z.

    Parameters
    ----------
    order : {2, 4}
    bound : callable
        That of Lemma C.4 or C.7.
    outside : Fraction
        2 or 8, the factor in ``(a + b)^order <= outside (a^order + b^order)``.

    Returns
    -------
    iterator of Instance

    Examples
    --------
    One token, 1 or -1, and U = 0: outside the ball the error 1 is compared with 2 (1 + 0).

    >>> inside, second, third = list(split_instances(2, lambda *at: 244**2, Fraction(2)))[:3]
    >>> (inside.left, second.left, second.right, third.right)
    (59536.0, 1.0, 2.0, 2.0)
    """
    for x in _instances(1):
        for length in LENGTHS:
            yield from _split_at(order, bound, outside, x, length)


def _split_at(order: int, bound: Bound, outside: Fraction, x: PromptAndQuery, length: int) -> Iterator[Instance]:
    where = {"L": length, "sigma": sp.sqrt(sympy_rational(x.tokens.sigma2)), **x.describe()}
    left = partial(x.average, length, squared_error if order == 2 else fourth_error, lambda at: SCALE * at.T)
    fourth = SCALE**4 * _moment(x, 4)
    inside = partial(_inside, bound, length, x, Fraction(SCALE**2), fourth)
    within = {**where, "f": f"{SCALE} z", "B": 1}
    yield Instance(within, float(left()), float(inside(float)), lambda: (left(exact=True), inside(_exactly)))
    pieces = [partial(x.average, length, partial(_outside, order, i)) for i in (0, 1, 2)]
    error, sizes, limit = (float(piece()) for piece in pieces)
    largest, factor = sum(_expected_maximum(x, length, order)), float(outside)
    beyond = {**where, "f": "z", "B": "1/2"}
    exact = lambda: (pieces[0](exact=True), arb_ball(outside) * pieces[1](exact=True))
    yield Instance({**beyond, "line": "second"}, error, factor * sizes, exact)
    yield Instance({**beyond, "line": "third"}, factor * sizes, factor * (largest + limit))


def _power(vectors: Any, order: int) -> Any:
    square = (vectors * vectors).sum(0)
    return square if order == 2 else square * square


def _outside(order: int, i: int, c: SoftmaxAverage, z: Any) -> Any:
    """Return E|R_L/S_L - R/S|^order, or the sum of the two powers, or the power of R/S."""
    limit = _power(c.R / c.S, order)
    if i == 0:
        return (squared_error if order == 2 else fourth_error)(c, c.R)
    return limit if i == 2 else (c.weight * _power(c.R_L / c.S_L, order)).sum(0) + limit


def _moment(x: PromptAndQuery, order: int) -> Fraction:
    return sum((w * abs(a[0]) ** order for w, a in zip(x.tokens.weights, x.tokens.atoms)), Fraction(0))


def _expected_maximum(x: PromptAndQuery, length: int, order: int) -> Iterator[float]:
    """Return the summands of E max|z_k|^order, from the distribution function."""
    sizes = sorted({abs(a[0]) for a in x.tokens.atoms})
    below = [
        float(sum((w for w, a in zip(x.tokens.weights, x.tokens.atoms) if abs(a[0]) <= s), Fraction(0))) ** length for s in sizes
    ]
    for s, now, before in zip(sizes, below, [0.0, *below]):
        yield float(s) ** order * (now - before)
