"""Checks shared by the proofs of Lemmas C.6 and C.9 of Boursier & Boyer, which split the average
over the query at |z| = B: the radius B, the scores inside that ball, and the tail of the query
outside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp
from sympy import exp, log, oo, sqrt

from numerics.attention.softmax_average import SoftmaxAverage
from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Closed, Integers, forall, identity
from numerics.refutation import vanishing
from numerics.search.query_average import Instance, PromptAndQuery, fourth_error, squared_error
from numerics.search.query_average_instances import discrete

L = sp.Symbol("L", integer=True, positive=True)
theta = sp.Symbol("theta", nonnegative=True)
sigma, u, d = sp.symbols("sigma u d", positive=True)  # u = |U|
BALL_DOMAIN = {L: Integers(1, oo), theta: Closed(0, 1)}
BALL_WHY = (
    r"A degenerate case: where $U=0$ the radius $B=\sqrt{\ln(L)/%d}/(\sigma\|U\|_{\rm op})$ divides by zero, and no $B$ has "
    r"$\sigma^{2}\|U\|_{\rm op}^{2}B^{2}=\ln(L)/%d$."
)
BALL_INSTEAD = r"Any $B$ with $\sigma^{2}\|U\|_{\rm op}^{2}B^{2}\leq\ln(L)/%d$; where $U=0$ every $B$, and no split is needed."


def score_in_the_ball(share: int) -> sp.Expr:
    """Return a2 = sigma^2 |Uz|^2 on |z| <= B, which is theta ln(L)/share with theta in [0, 1]."""
    return theta * log(L) / share


def radius_squared(share: int) -> sp.Expr:
    """Return B^2 = ln(L)/(share sigma^2 |U|^2)."""
    return log(L) / (share * sigma**2 * u**2)


def ball_exists(share: int, norm: str, c: Fraction) -> Evidence:
    """Decide whether some B has B^2 = ln(L)/(share sigma^2 n^2): none has for n = |U| = 0; with any
    n >= |U|, n > 0, sigma^2|U|^2 B^2 <= ln(L)/share.
    """
    if norm == "|U|":
        product = sp.S.Zero  # sigma^2 * 0 * B^2, for every B
        wanted = log(2) / share
        witness: dict[str, Any] = {"L": 2, "d": 1, "sigma": 1, "U": 0, "sigma^2|U|^2 B^2": product, f"ln(L)/{share}": str(wanted)}
        if not wanted.is_positive:
            raise ValueError(f"ln(2)/{share} is not positive: nothing is refuted")
        checked = rf"\sigma^2\|U\|^2B^2=\tfrac{{\ln L}}{{{share}}}"
        return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", checked=checked, witness=witness, witness_by="exact")
    tau = sp.Symbol("tau", nonnegative=True)  # |U| = tau n
    size = sp.Rational(c) * tau**2 * log(L) / share
    return forall(size, "<=", log(L) / share, {L: Integers(1, oo), tau: Closed(0, 1)})


def tail_of_the_query(share: int, c: int) -> Evidence:
    """Prove the steps of Term 3: Cauchy-Schwarz pointwise, the root of a sum, the root of the tail,
    and the exponent.
    """
    A, D, x, y, B = sp.symbols("A D x y B", nonnegative=True)
    pair = dict.fromkeys((A, D), Closed(0, oo))
    other = dict.fromkeys((x, y), Closed(0, oo))
    return all_of(
        forall((A + D) ** 2, "<=", c * A**2 + c * D**2, pair),
        forall(sqrt(x + y), "<=", sqrt(x) + sqrt(y), other),
        identity(sqrt(exp(2 * d - B**2 / 16)), exp(d - B**2 / 32)),
        identity(radius_squared(share) / 32, log(L) / (32 * share * sigma**2 * u**2)),
    )


def logarithm_absorbs_the_dimension(least: int, p: int, c: Fraction) -> Evidence:
    """Decide whether sqrt(d^{2p} + ln(L)^{2p}) <= (1 + d^p/ln(2)^p) ln(L)^p for L >= least, in
    terms of r = ln L/ln 2 >= 1; it fails at L = 1.
    """
    if least == 1:
        constant = sp.Symbol("c", positive=True)
        return vanishing(sp.S.One, constant * log(1) ** p, where={"L": 1, "d": 1, "sigma": 1})
    r, e = sp.symbols("r e", positive=True)  # ln L = r ln 2, e = d/ln 2
    factor = sp.Rational(c) * (1 + e**p)
    return forall(e ** (2 * p) + r ** (2 * p), "<=", factor**2 * r ** (2 * p), {r: Closed(1, oo), e: (0, oo)})


def _power(vectors: Any, order: int) -> Any:
    return (vectors * vectors).sum(0) ** (order / 2)


def _outside(c: SoftmaxAverage, order: int) -> tuple[float, float, float]:
    """Return E|R_L/S_L - R/S|^order, then 2 or 8 times the sum of the two powers, and the part of
    it that contains R/S.
    """
    factor = 2 if order == 2 else 8
    limit = float(_power(c.R / c.S, order))
    error = (squared_error if order == 2 else fourth_error)(c, c.R)
    return float(error), factor * (float((c.weight * _power(c.R_L / c.S_L, order)).sum(0)) + limit), factor * limit


def _piece(order: int, i: int, c: SoftmaxAverage, z: Any) -> float:
    return _outside(c, order)[i]


def split_instances(order: int, inner: Any, scale: int) -> Iterator[Instance]:
    """List both sides of the split for queries of signs, with B = 1 (all of them inside) and B =
    1/2 (all outside), for f = scale z and for f = z, g = 1.

    `inner(L, a2, scale, sigma2, E|Z|^4)` is the bound of Lemma C.4 or C.7 for f = scale z at a
    query with |z| = 1.
    """
    for x in discrete():
        if x.d > 1 or "signs" not in x.name.rsplit("query", 1)[1] or x.tokens.sigma2 * x.u**2 > 4:
            continue  # beyond a2 = 4 the printed bounds are astronomical, or not a float
        for length in (1, 2, 3, 10):
            yield from _split_at(order, inner, scale, x, length)


def _moment(x: PromptAndQuery, order: int) -> Fraction:
    return sum((w * abs(a[0]) ** order for w, a in zip(x.tokens.weights, x.tokens.atoms)), Fraction(0))


def _split_at(order: int, inner: Any, scale: int, x: PromptAndQuery, length: int) -> Iterator[Instance]:
    where = {
        "L": length,
        "sigma": sp.sqrt(sp.Rational(x.tokens.sigma2.numerator, x.tokens.sigma2.denominator)),
        "f": f"{scale} z",
        **x.describe(),
    }
    statistic = squared_error if order == 2 else fourth_error
    a2 = x.tokens.sigma2 * x.u**2

    def right(number: Any) -> Any:
        return inner(number(length), number(a2), scale, number(x.tokens.sigma2), number(_moment(x, 4)))

    def exact() -> tuple[Any, Any]:
        rational = lambda v: sp.Rational(Fraction(v).numerator, Fraction(v).denominator)
        return x.average(length, statistic, lambda at: scale * at.T, exact=True), right(rational)

    left = float(x.average(length, statistic, lambda at: scale * at.T))
    yield Instance({**where, "B": 1}, left, float(right(float)), exact)
    largest = sum(_expected_maximum(x, length, order))
    pieces = [x.average(length, partial(_piece, order, i)) for i in (0, 1, 2)]
    at = {**where, "f": "z", "B": "1/2"}
    factor = 2 if order == 2 else 8
    yield Instance({**at, "line": "second"}, float(pieces[0]), float(pieces[1]))
    yield Instance({**at, "line": "third"}, float(pieces[1]), factor * largest + float(pieces[2]))


def _expected_maximum(x: PromptAndQuery, length: int, order: int) -> Iterator[float]:
    """Return the summands of E max|z_k|^order, from the distribution function."""
    sizes = sorted({abs(a[0]) for a in x.tokens.atoms})
    below = [
        float(sum((w for w, a in zip(x.tokens.weights, x.tokens.atoms) if abs(a[0]) <= s), Fraction(0))) ** length for s in sizes
    ]
    for s, now, before in zip(sizes, below, [0.0, *below]):
        yield float(s) ** order * (now - before)
