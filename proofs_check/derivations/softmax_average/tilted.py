"""Moments of sub-Gaussian vectors under exponential weights, from one Gaussian integral."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp

from numerics.derivations.derived import chain, exp, integrated, log, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import (
    arithmetic,
    assume,
    equal,
    exchange,
    gaussian,
    gcongr,
    instantiate,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from proofs_check.derivations.softmax_average.moments import weight_at_least_one
from proofs_check.derivations.softmax_average.softmax_average import (
    a,
    a2,
    d,
    j,
    k,
    m0,
    mean,
    over,
    s,
    sigma,
    sub_gaussian,
    v,
    w,
    x,
    z,
)
from proofs_check.derivations.softmax_average.softmax_average import t as scale
from theory.bounds.query_average import tilted_moment as tilted_bound
from theory.bounds.sub_gaussian import tail_d2, tail_R3

u, part_, excess = (Variable(name, range=NONNEGATIVE) for name in ("theta", "V", "W"))
#: The threshold of a norm, which may be 0.
t = Variable("t", range=NONNEGATIVE)
g = Variable("g", Sort.NORMAL)
query = Variable("zq", Sort.QUERY)
#: The coordinates of a query.
y = Function("y", (Sort.INDEX, Sort.QUERY), None)
h = d / 2 * log(2)


class Law(NamedTuple):
    """A sub-Gaussian law: its mean, a variable, the coordinates, the constant, the definition."""

    kind: str
    of: Variable
    coordinates: Callable[[Variable, Variable], Term]
    sigma: Term
    definition: Callable[[], Theorem]

    def mean(self, body: Term) -> Term:
        return bind(self.kind, (self.of,), body)

    @property
    def square(self) -> Term:
        return over(j, d, self.coordinates(j, self.of) ** 2)

    @property
    def weight(self) -> Term:
        return exp(over(j, d, a(j) * self.coordinates(j, self.of)))


@cache
def sub_gaussian_query() -> Theorem:
    """E e^{v.y} <= e^{|v|^2/2} for every v: the query is 1-sub-Gaussian."""
    X = over(j, d, v(j) * y(j, query))
    return assume(
        "1-sub-Gaussian query",
        bind("query", (query,), exp(X)),
        "<=",
        exp(over(j, d, v(j) ** 2) / 2),
        every=(v,),
    )


TOKEN = Law("mean", k, z, sigma, sub_gaussian)
QUERY = Law("query", query, y, term(1), sub_gaussian_query)


@cache
def exponential_of_the_square(law: Law = TOKEN) -> Theorem:
    """E e^{a.Z + u|Z|^2/(2(1 + u) sigma^2)} <= (1 + u)^{d/2} e^{(1 + u) a2/2} for u >= 0.

    The exponential of the square is the mean of e^{c xi.Z} over a Gaussian vector xi, and the
    definition of sub-Gaussian at a + c xi bounds the mean over Z.
    """
    r = 1 / (1 + u)
    c = sqrt(u * r) / law.sigma
    Z, weight, size = law.coordinates(j, law.of), law.weight, law.sigma**2 * over(j, d, a(j) ** 2)
    linear = gaussian(g, j, d, c * Z, equal(term(0) + 1, 1))
    both = exchange(law.mean(bind("normal", (g,), weight * exp(c * over(j, d, GAUSSIAN(j, g) * Z)))))
    at = instantiate(law.definition(), {v: ((j,), a(j) + c * GAUSSIAN(j, g))})
    final = gaussian(g, j, d, law.sigma**2 * c * a(j), arithmetic(u * r + r, "==", 1))
    start = law.mean(weight * exp(u * r / (2 * law.sigma**2) * law.square))
    first = integrated(law.kind, (law.of,), gcongr(weight * linear.rhs, linear), start)
    last = chain(integrated("normal", (g,), at), exp(size / 2) * final.lhs)
    growth = exp(d / 2 * log(1 + u)) * exp(size / 2)
    last = chain(last, gcongr(last.rhs, final), growth * exp(u * r * (1 + u) * size / 2))
    return chain(first, both, last, arithmetic(last.rhs, "==", growth * exp(u * size / 2)))


@cache
def without_weight(law: Law = TOKEN) -> Theorem:
    """E e^{u|Z|^2/(2(1 + u) sigma^2)} <= (1 + u)^{d/2}."""
    plain = instantiate(exponential_of_the_square(law), {a: ((j,), term(0))})
    inside = law.mean(exp(u / (1 + u) / (2 * law.sigma**2) * law.square))
    return chain(inside, plain, exp(d / 2 * log(1 + u)))


@cache
def quarter(law: Law = TOKEN) -> Theorem:
    """E e^{|Z|^2/(4 sigma^2)} <= 2^{d/2}."""
    half = instantiate(without_weight(law), {u: term(1)})
    return chain(law.mean(exp(law.square / (4 * law.sigma**2))), half, exp(h))


def power_below_its_tangent(q: int) -> Theorem:
    """v^q <= A^q + q A^{q-1} (e^{v-W} - 1) with A = W + q - 1, for q = 1, 2 and v, W >= 0: y -> (ln
    y)^q lies below its tangents from y = e^{q-1} on.
    """
    if q == 1:
        line = instantiate(arithmetic(x, "<=", exp(x) - 1), {x: part_ - excess})
        return arithmetic(part_, "<=", excess + line.rhs, line, hide=(line.rhs,))
    shifted = arithmetic(
        (part_ + 1) ** 2, "<=", (excess + 1) ** 2 + 2 * (excess + 1) * (exp(part_ - excess) - 1)
    )
    return chain(arithmetic(part_**2, "<=", (part_ + 1) ** 2), shifted)


@cache
def tilted_moment(q: int = 1) -> Theorem:
    """E w|Z|^{2q}/E w <= (4 sigma^2)^q (q - 1 + h + a2)^q for q = 1, 2, with 2^{d/2} = e^h."""
    part, W = TOKEN.square / (4 * sigma**2), h + a2
    A = W + (q - 1)
    slope = q * A ** (q - 1) if q > 1 else term(1)
    tangent = instantiate(power_below_its_tangent(q), {part_: part, excess: W})
    tangent = chain(gcongr(w * tangent.lhs, tangent), w * (A**q - slope) + slope * exp(-W) * (w * exp(part)))
    weighted = chain(mean(w * exp(part)), instantiate(exponential_of_the_square(), {u: term(1)}), exp(W))
    small = mean(w * part**q)
    over_w = integrated(
        "mean", (k,), tangent, small, m0 * (A**q - slope) + slope * exp(-W) * mean(w * exp(part))
    )
    over_w = chain(over_w, gcongr(over_w.rhs, weighted), m0 * A**q + slope * (1 - m0))
    less = chain(over_w, arithmetic(over_w.rhs, "<=", m0 * A**q, weight_at_least_one()))
    ratio = mean(w * TOKEN.square**q) / m0
    scaled = (4 * sigma**2) ** q * small / m0
    return chain(ratio, scaled, gcongr(scaled, less), (4 * sigma**2) ** q * A**q)


def tilted_statements(c: int | Fraction = 1) -> tuple[Statement, ...]:
    """E w|Z|^{2q}/E w <= (4 c sigma^2)^q (q - 1 + h + a2)^q for q = 1, 2, from the bound of
    `theory`.
    """
    names = s_, a_, d_ = sp.symbols("sigma a2 d", positive=True)
    bounds = (
        from_sympy(tilted_bound(s_, a_, d_, q), dict(zip(names, (sigma, a2, d), strict=True))) for q in (1, 2)
    )
    return tuple(
        Statement(mean(w * TOKEN.square**q) / m0, "<=", Fraction(c) ** q * bound, sub_gaussian().assumptions)
        for q, bound in enumerate(bounds, start=1)
    )


@cache
def weighted_moment(power: int, law: Law = QUERY, lam: Fraction = Fraction(1, 4)) -> Theorem:
    """E n^j e^{lam n} <= r^{-d/2} (2 (d + j)/(r sqrt(e)))^j for n = |Z|^2/sigma^2, a power j
    >= 1 and r = 1 - 2 lam > 0, from x <= c e^{x/c - 1} at c = 2 (d + j)/r.
    """
    n, r = law.square / law.sigma**2, 1 - 2 * Fraction(lam)
    c = 2 * (d + power) / r
    tangent = instantiate(arithmetic(x, "<=", exp(x - 1)), {x: part_ / scale})
    point = instantiate(
        chain(part_, scale * (part_ / scale), gcongr(scale * (part_ / scale), tangent)), {scale: c}
    )
    point = chain(gcongr(part_**power, point), c**power * exp(-power) * exp(power * part_ / c))
    point = instantiate(gcongr(scale * point.lhs, point), {part_: n, scale: exp(lam * n)})
    more = law.mean(exp(lam * n + power * n / c))
    mean_of = integrated(law.kind, (law.of,), point, None, c**power * exp(-power) * more)
    # The exponent is that of `without_weight` at this value, where (1 + u)^{-1} = r d/(d + j).
    at = ((1 - r) * d + power) / (r * d)
    shape = arithmetic(exp(lam * part_ + power * part_ / c), "==", exp(at / (1 + at) / 2 * part_))
    wide = chain(
        integrated(law.kind, (law.of,), instantiate(shape, {part_: n}), more),
        instantiate(without_weight(law), {u: at}),
    )
    growth = exp(-(d / 2) * log(term(r))) * exp(Fraction(power, 2))
    tangent = instantiate(arithmetic(d * log(1 + u), "<=", d * u), {u: term(power) / d})
    apart = arithmetic(wide.rhs, "==", exp(-(d / 2) * log(term(r))) * exp(tangent.lhs / 2))
    wide = chain(wide, apart, gcongr(apart.rhs, tangent), growth)
    bound = exp(-(d / 2) * log(term(r))) * (c * exp(Fraction(-1, 2))) ** power
    return chain(mean_of, gcongr(mean_of.rhs, wide), bound)


@cache
def moment_of_the_norm(q: int) -> Theorem:
    """E|Z|^{2q} <= (2 sigma^2 (d + q)/sqrt(e))^q <= (4 sigma^2)^q (q - 1 + h)^q for q >= 2."""
    plain = weighted_moment(q, TOKEN, Fraction(0))
    scaled = chain(
        mean(TOKEN.square**q), sigma ** (2 * q) * plain.lhs, gcongr(sigma ** (2 * q) * plain.lhs, plain)
    )
    scaled = chain(scaled, sigma ** (2 * q) * (2 * (d + q) * exp(Fraction(-1, 2))) ** q)
    less = arithmetic(2 * (d + q) * exp(Fraction(-1, 2)), "<=", 4 * (q - 1 + h))
    return chain(scaled, gcongr(scaled.rhs, less), (4 * sigma**2) ** q * (q - 1 + h) ** q)


def exponential_statement(two: int = 2) -> Statement:
    """E e^{a.Z + theta|Z|^2/(2 sigma^2)} <= (1 - theta)^{-d/2} e^{a2/(two(1 - theta))} for every
    theta in [0, 1), which is u/(1 + u) with u >= 0.
    """
    left = mean(w * exp(u / (1 + u) / (2 * sigma**2) * TOKEN.square))
    return Statement(left, "<=", (1 + u) ** (d / 2) * exp((1 + u) * a2 / two), sub_gaussian().assumptions)


@cache
def exponential() -> Theorem:
    """The bound of `exponential_of_the_square` in a2."""
    return chain(exponential_of_the_square(), exp(d / 2 * log(1 + u)) * exp((1 + u) * a2 / 2))


def norm_statements(share: int | Fraction = 1, two: int = 2) -> tuple[Statement, ...]:
    """E e^{|Z|^2/(4 sigma^2)} <= share 2^{d/2}; equality with two^{d/2} for Z = sigma xi; and P(|Z|
    >= t) <= share 2^{d/2} e^{-t^2/(4 sigma^2)} for every t >= 0.
    """
    (t_, d_, s_), given = sp.symbols("t d sigma", positive=True), sub_gaussian().assumptions
    bound = lambda at: Fraction(share) * from_sympy(tail_R3(t_, d_, s_), {t_: at, d_: d, s_: sigma})
    normal = bind("normal", (g,), exp(over(j, d, (sigma * GAUSSIAN(j, g)) ** 2) / (4 * sigma**2)))
    return (
        Statement(mean(exp(TOKEN.square / (4 * sigma**2))), "<=", bound(term(0)), given),
        Statement(normal, "==", two ** (d / 2)),
        Statement(mean(Op("ind", (TOKEN.square - t**2,))), "<=", bound(t), given),
    )


@cache
def of_a_gaussian_vector() -> Theorem:
    """E e^{|xi|^2/4} = 2^{d/2}."""
    half = term(Fraction(1, 2))
    same = gaussian(g, j, d, term(0), equal(half + half, 1))
    return chain(same, arithmetic(exp(-(d / 2) * log(half)), "==", 2 ** (d / 2)))


def tail_of_the_norm() -> Theorem:
    """The tail at t/sigma in place of t."""
    return instantiate(tail(), {t: t / sigma})


def tail_statement(c: int | Fraction = 2) -> Statement:
    """P(|Z| >= sigma t) <= e^{c d - t^2/16}, from the bound of `theory`."""
    t_, d_ = sp.symbols("t d", positive=True)
    bound = from_sympy(tail_d2(t_, d_, sp.Rational(c)), {t_: t, d_: d})
    return Statement(
        mean(Op("ind", (TOKEN.square - sigma**2 * t**2,))), "<=", bound, sub_gaussian().assumptions
    )


@cache
def tail() -> Theorem:
    """P(|Z| >= sigma t) <= 2^{d/2} e^{-t^2/4}, by Markov's inequality for e^{|Z|^2/(4 sigma^2)}."""
    point = instantiate(
        arithmetic(Op("ind", (x,)), "<=", exp(x * s)),
        {x: TOKEN.square - sigma**2 * t**2, s: 1 / (4 * sigma**2)},
    )
    chernoff = integrated(
        "mean", (k,), point, None, exp(-(t**2) / 4) * mean(exp(TOKEN.square / (4 * sigma**2)))
    )
    return chain(chernoff, gcongr(chernoff.rhs, quarter()))


@cache
def beyond_the_edge() -> Theorem:
    """The hypothesis of the cited tail, t > 4 sqrt(d)."""
    return assume("t > 4 sqrt(d)", 4 * sqrt(d), "<", t)


@cache
def cited_tail() -> Theorem:
    """P(|Z| >= sigma t) <= e^{-(t - 4 sqrt(d))^2/8} for t > 4 sqrt(d)."""
    shifted = arithmetic(tail().rhs, "<=", exp(-((t - 4 * sqrt(d)) ** 2) / 8), beyond_the_edge())
    return chain(tail(), shifted)


def cited_statement(c: int | Fraction = 4) -> Statement:
    """P(|Z| >= sigma t) <= e^{-(t - c sqrt(d))^2/8} for t > c sqrt(d)."""
    edge = Fraction(c) * sqrt(d)
    given = sub_gaussian().assumptions | assume("t > 4 sqrt(d)", edge, "<", t).assumptions
    event = mean(Op("ind", (TOKEN.square - sigma**2 * t**2,)))
    return Statement(event, "<=", exp(-((t - edge) ** 2) / 8), given)
