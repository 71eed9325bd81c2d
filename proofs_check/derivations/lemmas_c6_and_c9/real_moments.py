"""Moments of every real order 2q >= 2 from exponential moments: R3, the moments of tilted tokens,
and those of the largest of L tokens.

They are derived for |Z|^2 + eta, where eta > 0, and eta tends to 0 at the end.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import D_, N_, chain, exp, log, symm
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate, limit
from numerics.derivations.kernel.sorts import POSITIVE, Range
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.lemmas_c6_and_c9 import largest
from proofs_check.derivations.proof import proves
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
from proofs_check.derivations.softmax_average.tilted import TOKEN, Law, exponential_of_the_square, h, u
from proofs_check.derivations.tails.real_powers import C_, M_, W, below_the_tangent, q, r, v, x
from theory.bounds.sub_gaussian import C_p

eta = Variable("eta", range=POSITIVE)
at_least_one = assume("sigma >= 1", 1, "<=", sigma)
#: What `moment` has in place of 1 <= E w where the weight is 1.
at_least_itself = arithmetic(1, "<=", term(1))
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
def power_of_a_product() -> Theorem:
    return arithmetic((C_ * M_) ** q, "==", C_**q * M_**q)


@cache
def near_a_power() -> Theorem:
    """(C (1 + ln(1 + delta)/q))^q <= C^q + delta C^q, from q ln(1 + x/q) <= x."""
    less, more = arithmetic(q * log(1 + N_ / q), "<=", N_), 1 + log(1 + D_) / q
    near = calc(
        arithmetic(more**q, "==", exp(q * log(more))),
        ("<=", exp(log(1 + D_)), instantiate(less, {N_: log(1 + D_)})),
        ("==", 1 + D_),
    )
    return calc(instantiate(power_of_a_product(), {M_: more}), ("<=", C_**q + D_ * C_**q, near))


def moment(
    of: Law, weight: Term, n: Term, B: Term, exponential: Theorem, normaliser: Theorem = at_least_itself
) -> Theorem:
    """E w n^q/E w <= (4 sigma^2 (q - 1 + B))^q from E w e^{n/(4 sigma^2)} <= e^B and 1 <= E w: the
    mean of the tangent at ln y = q - 1 + B + eta/(4 sigma^2) bounds the moment of n + eta.
    """
    mean, scale = of.mean, 4 * of.sigma**2
    shift, total, front, end = eta / scale, normaliser.rhs, scale**q, scale * (r + B)
    at, top = n / scale + shift, B + shift + r
    power, slope = top**q, q * top**r
    apart = lambda e: instantiate(power_of_a_product(), {C_: scale, M_: e})
    tangent = instantiate(below_the_tangent(), {v: at, W: B + shift})
    point = calc(
        apart(at),
        ("<=", front * (at + r) ** q, show(at, "<=", at + r, at)),
        ("<=", front * (power - slope) + front * (slope * exp(-B) * exp(n / scale)), tangent),
    )
    parts = front * (weight * (power - slope)) + front * (slope * exp(-B) * (weight * exp(n / scale)))
    point = show(weight * (n + eta) ** q, "<=", parts, show((n + eta) ** q, "<=", point.rhs, point))
    less = show(total * power + slope * (1 - total), "<=", total * power, normaliser, total, slope, power)
    average = calc(
        mean(weight * (n + eta) ** q),
        ("<=", front * (total * (power - slope)) + front * (slope * exp(-B) * exponential.lhs), point),
        ("<=", front * (total * power + slope * (1 - total)), exponential),
        ("<=", front * (total * power), less),
    )
    near = calc(
        mean(weight * n**q) / total,
        ("<=", mean(weight * (n + eta) ** q) / total, show(n, "<=", n + eta, n)),
        ("<=", front * (total * power) / total, average),
        ("==", (scale * top) ** q, symm(apart(top))),
    )
    growth = log(1 + D_)
    small = show(0, "<", end * (growth / q), arithmetic(0, "<", growth), end, growth)
    near = chain(instantiate(near, {eta: end * (growth / q)}, small), instantiate(near_a_power(), {C_: end}))
    return limit(near, D_, end**q, end**q)


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


@proves("OURS:QA.tilt", statements, part=1)
@cache
def of_tilted_tokens() -> Theorem:
    """E w|Z|^{2q}/E w <= (4 sigma^2 (q - 1 + h + a2))^q, where 2^{d/2} = e^h."""
    weighted = instantiate(exponential_of_the_square(), {u: term(1)})
    weighted = show(mean(w * exp(square / scale)), "<=", exp(h + a2), weighted)
    return moment(TOKEN, w, square, h + a2, weighted, weight_at_least_one())


@proves("OURS:QA.tilt", statements, part=2)
@proves("OURS:R3.max", largest_statement)
@cache
def of_the_largest() -> Theorem:
    """E max|z|^{2q} <= (4 sigma^2 (q - 1 + h + ln L))^q."""
    same = arithmetic(M_ * exp(x), "==", exp(x + log(M_)))
    plain = chain(largest.exponential(), instantiate(same, {M_: 1 * L, x: h}))
    return moment(largest.VECTORS, term(1), of_largest, h + log(L), plain)


@proves("OURS:R3", statement_R3)
@cache
def theorem_R3() -> Theorem:
    """4 sigma^2 (q - 1 + h + sigma^2 |a|^2) <= 8 sigma^4 (|a|^2 + d/5 + q) for sigma >= 1."""
    base, most = scale * (r + (h + sigma**2 * score2)), 8 * sigma**4 * (score2 + d / 5 + q)
    larger = show(base, "<=", most, at_least_one, score2)
    return calc(of_tilted_tokens(), ("==", base**q), ("<=", most**q, larger))


# -- Lemma D.2, item 2, for the fourth and the eighth moment ---------------------------------------

size_ = Variable("d_", range=Range(Fraction(1), lo_open=False))


def constant(q: int) -> Term:
    """C_{2q} of Lemma D.2, of `theory`."""
    return from_sympy(sp.simplify(C_p(sp.Integer(2 * q))), {})


@cache
def maximal_inequality(q: int) -> Theorem:
    """E max|z|^{2q} <= C_{2q} sigma^{2q} (d^q + ln(L)^q) for q = 2, 4."""
    linear = arithmetic(4 * (q - 1 + size_ / 2 * log(2) + N_), "<=", 4 * (q + 1) * (size_ + N_))
    powers = arithmetic((size_ + N_) ** q, "<=", 2 ** (q - 1) * (size_**q + N_**q))
    number = arithmetic((4 * (q + 1)) ** q * 2 ** (q - 1), "<=", constant(q))
    line = calc(
        linear.lhs**q,
        ("<=", (4 * (q + 1)) ** q * (size_ + N_) ** q, linear),
        ("<=", number.lhs * (size_**q + N_**q), powers),
        ("<=", constant(q) * (size_**q + N_**q), number),
    )
    line = instantiate(line, {N_: log(L), size_: d}, arithmetic(1, "<=", d))
    return calc(
        chain(mean(of_largest**q), instantiate(of_the_largest(), {r: term(q - 1)})),
        ("==", sigma ** (2 * q) * line.lhs),
        ("<=", sigma ** (2 * q) * line.rhs, line),
    )
