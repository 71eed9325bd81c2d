"""Moments of every real order 2q >= 2 from exponential moments: R3, the moments of tilted tokens,
and those of the largest of L tokens.

They are derived for |Z|^2 + eta, where eta > 0, and eta tends to 0 at the end.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import D_, N_, chain, exp, integrated, log
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate, limit
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from proofs_check.derivations.lemmas_c6_and_c9 import largest
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
    sigma,
    sub_gaussian,
    w,
)
from proofs_check.derivations.softmax_average.tilted import TOKEN, exponential_of_the_square, h, u
from proofs_check.derivations.tails.real_powers import C_, M_, W, below_the_tangent, q, r, v, x

eta = Variable("eta", range=POSITIVE)
at_least_one = assume("sigma >= 1", 1, "<=", sigma)
#: |a|^2, |Z|^2, the square of the largest norm, and the scale of both.
score2, square, of_largest, scale = (
    over(j, d, a(j) ** 2),
    TOKEN.square,
    largest.largest_z(k) ** 2,
    4 * sigma**2,
)


def _bound(B: Term, c: int | Fraction = 1) -> Term:
    """(4 c sigma^2 (q - 1 + B))^q."""
    return (Fraction(c) * scale * (r + B)) ** q


@cache
def near_a_power() -> Theorem:
    """(C (1 + ln(1 + delta)/q))^q <= C^q + delta C^q, from q ln(1 + x/q) <= x."""
    less = instantiate(arithmetic(q * log(1 + N_ / q), "<=", N_), {N_: log(1 + D_)})
    more = 1 + log(1 + D_) / q
    near = chain(exp(q * log(more)), gcongr(exp(less.lhs), less), arithmetic(exp(log(1 + D_)), "==", 1 + D_))
    near = chain(arithmetic(more**q, "==", exp(q * log(more))), near)
    product = instantiate(arithmetic((C_ * M_) ** q, "==", C_**q * M_**q), {M_: more})
    return chain(product, gcongr(product.rhs, near), C_**q + D_ * C_**q)


def _moment(weight: Term, n: Term, B: Term, exponential: Theorem, normaliser: Theorem) -> Theorem:
    """E w n^q/E w <= (4 sigma^2 (q - 1 + B))^q from E w e^{n/(4 sigma^2)} <= e^B and 1 <= E w: the
    mean of the tangent at ln y = q - 1 + B + eta/(4 sigma^2) bounds the moment of n + eta.
    """
    shift, total = eta / scale, normaliser.rhs
    at, top = n / scale + shift, B + shift + r
    product, powers = (C_ * M_) ** q, C_**q * M_**q
    apart = instantiate(arithmetic(product, "==", powers), {C_: scale, M_: at})
    joined = instantiate(arithmetic(powers, "==", product), {C_: scale, M_: top})
    power, slope = top**q, q * top**r
    tangent = chain(
        gcongr(at**q, arithmetic(at, "<=", at + r, hide=(at,))),
        instantiate(below_the_tangent(), {v: at, W: B + shift}),
    )
    point = chain((n + eta) ** q, apart, gcongr(apart.rhs, tangent))
    parts = scale**q * (weight * (power - slope)) + scale**q * (slope * exp(-B) * (weight * exp(n / scale)))
    point = chain(gcongr(weight * (n + eta) ** q, point), parts)
    most = scale**q * (total * (power - slope)) + scale**q * (slope * exp(-B) * exponential.lhs)
    average = integrated("mean", (k,), point, None, most)
    average = chain(
        average, gcongr(average.rhs, exponential), scale**q * (total * power + slope * (1 - total))
    )
    less = arithmetic(
        total * power + slope * (1 - total), "<=", total * power, normaliser, hide=(total, slope, power)
    )
    average = chain(average, gcongr(average.rhs, less))
    ratio = chain(gcongr(average.lhs / total, average), joined)
    larger = arithmetic(n, "<=", n + eta, hide=(n,))
    larger = integrate("mean", (k,), gcongr(weight * n**q, larger))
    near = chain(gcongr(larger.lhs / total, larger), ratio)
    end = scale * (r + B)
    least = arithmetic(
        0, "<", end * (log(1 + D_) / q), arithmetic(0, "<", log(1 + D_)), hide=(end, log(1 + D_))
    )
    near = instantiate(near, {eta: end * (log(1 + D_) / q)}, least)
    near = chain(near, instantiate(near_a_power(), {C_: end}))
    return limit(near, D_, end**q, end**q)


@cache
def of_tilted_tokens() -> Theorem:
    """E w|Z|^{2q}/E w <= (4 sigma^2 (q - 1 + h + a2))^q, where 2^{d/2} = e^h."""
    weighted = instantiate(exponential_of_the_square(), {u: term(1)})
    weighted = chain(mean(w * exp(square / scale)), weighted, exp(h + a2))
    return _moment(w, square, h + a2, weighted, weight_at_least_one())


@cache
def of_the_largest() -> Theorem:
    """E max|z|^{2q} <= (4 sigma^2 (q - 1 + h + ln L))^q."""
    same = arithmetic(M_ * exp(x), "==", exp(x + log(M_)))
    plain = chain(largest.exponential(), instantiate(same, {M_: 1 * L, x: h}))
    return _moment(term(1), of_largest, h + log(L), plain, arithmetic(1, "<=", term(1)))


def _at_most(weight: Term, n: Term, total: Term, bound: Term, *given: Theorem) -> Statement:
    return Statement(mean(weight * n**q) / total, "<=", bound, hypotheses(*given))


def statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The moments of tilted tokens, and of the largest of L tokens; c multiplies 4 sigma^2."""
    return _at_most(w, square, m0, _bound(h + a2, c), sub_gaussian()), largest_statement(c=c)


def largest_statement(share: int | Fraction = 1, c: int | Fraction = 1) -> Statement:
    """The moments of the largest of L tokens; c multiplies 4 sigma^2, and share the bound."""
    given = largest.attained(largest.largest_z, largest.square), largest.sub_gaussian_vectors()
    return _at_most(term(1), of_largest, term(1), Fraction(share) * _bound(h + log(L), c), *given)


def statement_R3(share: int | Fraction = 1) -> Statement:
    """E w|Z|^p/E w <= share (8 sigma^4 (|a|^2 + d/5 + q))^q for sigma >= 1, where q is p/2."""
    bound = Fraction(share) * (8 * sigma**4 * (score2 + d / 5 + q)) ** q
    return _at_most(w, square, m0, bound, sub_gaussian(), at_least_one)


@cache
def theorem_R3() -> Theorem:
    """4 sigma^2 (q - 1 + h + sigma^2 |a|^2) <= 8 sigma^4 (|a|^2 + d/5 + q) for sigma >= 1."""
    base = scale * (r + (h + sigma**2 * score2))
    larger = arithmetic(base, "<=", 8 * sigma**4 * (score2 + d / 5 + q), at_least_one, hide=(score2,))
    return chain(of_tilted_tokens(), base**q, gcongr(base**q, larger))
