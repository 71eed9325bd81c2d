"""The scores and the attention at x times the one matrix of R7, in closed form."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, begin, every_number, instantiate
from numerics.derivations.kernel.terms import CLOCK, Defined, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    attention,
    b,
    both,
    c,
    coordinates,
    counted,
    each_class,
    equiangular,
    here,
    i,
    k,
    kappa,
    kept,
    line,
    m,
    n,
    of_m,
    of_n,
    projections,
    same,
    score,
    sums_of_delta,
    symmetric,
    t,
    there,
    v,
    x,
    zero_or_one,
)
from proofs_check.derivations.features.steps import scaled

#: The score at x times that matrix.
scored = x * (same(m, k) - both / K)


@cache
def score_on_the_line() -> Theorem:
    """As G(I - P)G = kappa^2 (I - P), with P = 11'/K."""
    first, second = (coordinates(v(q, i) * v(n, i)) for q in (m, k))
    grams = (instantiate(equiangular, {m: m, k: n}), instantiate(equiangular, {m: k, k: n}))
    one, two = (g.rhs for g in grams)
    pair, square, single, squares, all_ = sums_of_delta()
    of_k_ = [instantiate(thm, {m: k}) for thm in (square, single)]
    inner = calc(
        of_n(first * second),
        ("==", of_n(one * second), grams[0]),
        ("==", of_n(one * two), grams[1]),
        (
            "==",
            kappa**2 * pair.lhs
            + kappa * b * (here * square.lhs + there * of_k_[0].lhs)
            + b**2 * both * squares.lhs,
        ),
        (
            "==",
            kappa**2 * same(m, k) + 2 * kappa * b * both + b**2 * K * both,
            pair,
            square,
            of_k_[0],
            squares,
            pair.lhs,
            square.lhs,
            of_k_[0].lhs,
            squares.lhs,
        ),
    )
    rows = [
        calc(
            of_n(g.lhs),
            ("==", of_n(g.rhs), g),
            ("==", kappa * s.lhs + b * own * all_.lhs),
            ("==", own * (kappa + b * K), s, all_, s.lhs, all_.lhs),
        )
        for g, s, own in zip(grams, (single, of_k_[1]), (there, here))
    ]
    return calc(
        score(line),
        ("==", x / kappa**2 * (of_n(first * second) - of_n(first) * of_n(second) / K)),
        (
            "==",
            x / kappa**2 * (inner.rhs - rows[0].rhs * rows[1].rhs / K),
            inner,
            *rows,
            inner.lhs,
            *(row.lhs for row in rows),
        ),
        ("==", scored),
    )


def _of_a_projection(d: Term, q: Term, square: Theorem) -> Theorem:
    """d e^(xqd) = d e^(xq) where d^2 = d, as the derivative of d e^(-xq)(e^(xqd) - e^(xq)) in x
    vanishes.
    """
    u = CLOCK(t) * q
    e, rest = d * exp(-u) * (exp(u * d) - exp(u)), q * exp(-u) * exp(u * d)
    still = calc(derivative(e, t), ("==", rest * d**2 - rest * d), ("==", 0, scaled(rest, square)))
    none = calc(antitone(e, t, still), ("==", 0, begin()))
    return calc(d * exp(u * d), ("==", exp(u) * e + d * exp(u)), ("==", d * exp(u), scaled(exp(u), none)))


E = exp(x)
#: What the scores of a query have in common.
shift = exp(-x * here / K)


@cache
def power_of_a_projection() -> Theorem:
    """e^(x delta_mk) = 1 + delta_mk (e^x - 1)."""
    d, u = same(m, k), CLOCK(t)
    e, projected = exp(u * d) - 1 - d * (exp(u) - 1), _of_a_projection(d, term(1), zero_or_one)
    still = calc(derivative(e, t), ("==", d * exp(u * d) - d * exp(u)), ("==", 0, projected))
    none = calc(antitone(e, t, still), ("==", 0, begin()))
    return every_number(show(exp(u * d), "==", 1 + d * (exp(u) - 1), none), t, x)


@cache
def odds_on_the_line() -> Theorem:
    """delta_mm e^score = delta_mm (1 + delta_mk (E - 1)) e^(-lambda delta_kk/K)."""
    d, odds, q = same(m, k), exp(x * same(m, k)), -here / K
    own = every_number(_of_a_projection(there, q, instantiate(zero_or_one, {k: m})), t, x)
    return calc(
        there * exp(score(line)),
        ("==", there * exp(scored), scaled(there, _exp(score_on_the_line()))),
        ("==", odds * (there * exp(x * q * there))),
        ("==", odds * (there * shift), scaled(odds, own)),
        ("==", there * shift * odds),
        ("==", there * shift * (1 + d * (E - 1)), scaled(there * shift, power_of_a_projection())),
    )


def _exp(thm: Theorem) -> Theorem:
    return show(exp(thm.lhs), "==", exp(thm.rhs), thm)


@cache
def normaliser_on_the_line() -> Theorem:
    """delta_kk times the sum of the odds is delta_kk (E + M) e^(-lambda delta_kk/K)."""
    odds, d, (_, _, single, _, all_) = exp(score(line)), same(m, k), sums_of_delta()
    column = calc(
        of_m(there * d),
        ("==", of_m(d), instantiate(each_class, {c: ((m,), d)})),
        ("==", of_m(same(k, m)), symmetric),
        ("==", here, instantiate(single, {m: k})),
    )
    each = calc(
        of_m(odds),
        ("==", of_m(there * odds), symm(instantiate(each_class, {c: ((m,), odds)}))),
        ("==", of_m(there * shift * (1 + d * (E - 1))), odds_on_the_line()),
        ("==", shift * (all_.lhs + (E - 1) * column.lhs)),
        (
            "==",
            shift * (M + 1 + (E - 1) * here),
            calc(all_, ("==", M + 1, counted)),
            column,
            all_.lhs,
            column.lhs,
            shift,
            E,
        ),
    )
    square = instantiate(zero_or_one, {m: k})
    return calc(
        here * each.lhs,
        ("==", here * each.rhs, scaled(here, each)),
        ("==", shift * (here * M + here) + shift * (E - 1) * here**2),
        ("==", shift * (here * M + here) + shift * (E - 1) * here, scaled(shift * (E - 1), square)),
        ("==", here * (shift * (E + M))),
    )


A, y = attention(line), 1 / (E + M)
#: The attention of one class on another.
weight = both * y + (E - 1) * y * same(m, k)


@cache
def attention_on_the_line() -> Theorem:
    """For classes m and k the attention is (delta_mm delta_kk + delta_mk (E - 1))/(E + M)."""
    odds, d, norm = exp(score(line)), same(m, k), normaliser_on_the_line()
    Z, whole_ = Defined("Z", of_m(odds)), shift * (E + M)
    inverse = calc(
        here / Z,
        ("==", 1 / (Z * whole_) * (here * whole_), here, Z, shift, E),
        ("==", 1 / (Z * whole_) * (here * Z), scaled(1 / (Z * whole_), symm(norm))),
        ("==", here / whole_, here, Z, shift, E),
    )
    return calc(
        both * A,
        ("==", there * odds * (here / Z)),
        ("==", there * odds * (here / whole_), scaled(there * odds, inverse)),
        ("==", here / whole_ * (there * odds)),
        (
            "==",
            here / whole_ * (there * shift * (1 + d * (E - 1))),
            scaled(here / whole_, odds_on_the_line()),
        ),
        ("==", both * y + (E - 1) * y * (both * d), here, there, shift, E, d),
        ("==", weight, scaled((E - 1) * y, kept())),
    )


@cache
def square_of_a_weight() -> Theorem:
    d, (square, mixed, own) = same(m, k), projections()
    return calc(
        weight * weight,
        ("==", y**2 * (both * both) + 2 * (E - 1) * y**2 * (both * d) + (E - 1) ** 2 * y**2 * (d * d)),
        (
            "==",
            y**2 * both + (E**2 - 1) * y**2 * d,
            scaled(y**2, square),
            scaled(2 * (E - 1) * y**2, mixed),
            scaled((E - 1) ** 2 * y**2, own),
        ),
    )


A_n = instantiated(A, {m: n})
#: The sum of the squares of the attentions of a query.
length = of_n(A_n**2)


@cache
def square_of_the_attention() -> Theorem:
    d, (square, _, _) = same(m, k), projections()
    return calc(
        both * A**2,
        ("==", A**2 * (both * both), symm(scaled(A**2, square))),
        ("==", both * A * (both * A)),
        ("==", weight * (both * A), scaled(both * A, attention_on_the_line())),
        ("==", weight * weight, scaled(weight, attention_on_the_line())),
        ("==", y**2 * both + (E**2 - 1) * y**2 * d, square_of_a_weight()),
    )


@cache
def length_on_the_line() -> Theorem:
    """delta_kk sum_n A_nk^2 = delta_kk (E^2 + M)/(E + M)^2."""
    d, (_, _, single, _, all_), squares = same(m, k), sums_of_delta(), of_m(A**2)
    column = calc(of_m(d), ("==", of_m(same(k, m)), symmetric), ("==", here, instantiate(single, {m: k})))
    return calc(
        here * squares,
        ("==", here * of_m(there * A**2), symm(scaled(here, instantiate(each_class, {c: ((m,), A**2)})))),
        ("==", of_m(both * A**2)),
        ("==", of_m(y**2 * both + (E**2 - 1) * y**2 * d), square_of_the_attention()),
        ("==", y**2 * here * all_.lhs + (E**2 - 1) * y**2 * column.lhs),
        (
            "==",
            y**2 * here * (M + 1) + (E**2 - 1) * y**2 * here,
            scaled(y**2 * here, calc(all_, ("==", M + 1, counted))),
            scaled((E**2 - 1) * y**2, column),
        ),
        ("==", here * ((E**2 + M) * y**2)),
    )


own_attention = instantiated(A, {m: k})


@cache
def own_attention_on_the_line() -> Theorem:
    """delta_kk A_kk = delta_kk E/(E + M)."""
    square = instantiate(zero_or_one, {m: k})
    return calc(
        here * own_attention,
        ("==", own_attention * here**2, symm(scaled(own_attention, square))),
        ("==", here * here * y + (E - 1) * y * here, instantiate(attention_on_the_line(), {m: k})),
        ("==", y * here + (E - 1) * y * here, scaled(y, square)),
        ("==", here * (E * y)),
    )
