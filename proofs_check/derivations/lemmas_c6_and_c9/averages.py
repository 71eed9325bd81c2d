"""Terms 1 and 2 of the proofs of Lemmas C.6 and C.9: means over the queries with |z| <= B."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import N_, X_, Y_, chain, exp, integrated, log, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, equal, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from proofs_check.derivations.lemmas_c6_and_c9.lemma_c4 import p_th_root, scale
from proofs_check.derivations.softmax_average.query_average import U, at_the_query, b, l, operator_norm
from proofs_check.derivations.softmax_average.softmax_average import K, a2, d, sigma
from proofs_check.derivations.softmax_average.tilted import QUERY, query, y
from proofs_check.derivations.softmax_average.weighted_errors import size_of_g
from theory.bounds.concentration import C as C_of

A_, B_ = (Variable(name, range=NONNEGATIVE) for name in ("A_", "B_"))
#: A positive number that is at least the operator norm of U, which may be 0; and sigma^2 |Uz|^2 at
#: the query.
norm_U = Variable("normU", range=POSITIVE)
score = instantiated(a2, at_the_query)
#: The share of ln(L) in sigma^2 |U|^2 B^2.
HALF = Fraction(1, 2)
SHARE = {2: 6, 4: 12}


def square_of_the_radius(share: int) -> Term:
    """B^2 = ln(L)/(share sigma^2 |U|^2)."""
    return log(L) / (share * sigma**2 * norm_U**2)


def in_the_ball(share: int) -> Op:
    """1 where |z| <= B, and 0 elsewhere."""
    return Op("ind", (square_of_the_radius(share) - QUERY.square,))


def constant() -> Term:
    """C(z) = 108 e^{4 sigma^2 |Uz|^2} K, of `theory`."""
    a2_, K_ = sp.symbols("a2 K", positive=True)
    return from_sympy(C_of(a2_, K_), {a2_: score, K_: K})


def norm_of_U() -> Theorem:
    """The hypothesis |Ub| <= |U| |b|."""
    return operator_norm(U, norm_U, d)


@cache
def score_in_the_ball(share: int) -> Theorem:
    """sigma^2 |Uz|^2 <= ln(L)/share in the ball."""
    ball, radius = in_the_ball(share), square_of_the_radius(share)
    image = instantiate(norm_of_U(), {b: ((l,), y(l, query))})
    inside = Op("ind", (A_ - N_,))
    line = instantiate(arithmetic(inside * N_, "<=", inside * A_), {A_: radius, N_: QUERY.square})
    size = chain(ball * score, gcongr(ball * sigma**2 * image.lhs, image), sigma**2 * norm_U**2 * line.lhs)
    return chain(size, gcongr(size.rhs, line), ball * (log(L) / share))


def exponential(ball: Op, X: Term, larger: Theorem, Y: Term) -> Theorem:
    """1 e^X <= 1 e^Y on an event, from 1 X <= 1 Y."""
    inside = Op("ind", (X_,))
    same = arithmetic(inside * exp(Y_), "==", inside * exp(inside * Y_))
    back = arithmetic(inside * exp(inside * Y_), "==", inside * exp(Y_))
    first, last = (instantiate(line, {X_: ball.args[0], Y_: of}) for line, of in ((same, X), (back, Y)))
    step = chain(first.rhs, ball * exp(larger.lhs))
    return chain(first, step, gcongr(step.rhs, larger), last.lhs, last)


@cache
def constant_in_the_ball(share: int) -> Theorem:
    """1 C(z) <= 108 e^{4 ln(L)/share} K."""
    ball = in_the_ball(share)
    four = gcongr(4 * score_in_the_ball(share).lhs, score_in_the_ball(share))
    line = exponential(
        ball, 4 * score, chain(ball * (4 * score), four, ball * (4 * log(L) / share)), 4 * log(L) / share
    )
    line = chain(ball * constant(), 108 * K * line.lhs, gcongr(108 * K * line.lhs, line))
    one = arithmetic(Op("ind", (X_,)), "<=", 1)
    one = instantiate(one, {X_: ball.args[0]})
    return chain(line, gcongr(line.rhs, one), 108 * exp(4 * log(L) / share) * K)


def term_1_statements(order: int, share: int | None = None) -> tuple[Statement, ...]:
    """sigma^2 |U|^2 B^2 = ln(L)/6, sigma^2 |Uz|^2 <= ln(L)/6 and C(z) <= 108 e^{2 ln(L)/3} K in the
    ball, and the mean of Term 1, for Lemma C.6; 12 and e^{ln(L)/3} for Lemma C.9.
    """
    printed, given = SHARE[order], norm_of_U().assumptions
    share = share or printed
    ball, G = in_the_ball(share), size_of_g(order) ** (order // 2)
    front = log(L) / L if order == 2 else K / sqrt(L)
    end = log(L) / L ** Fraction(1, 3) if order == 2 else K / L ** Fraction(1, 6)
    return (
        Statement(sigma**2 * norm_U**2 * square_of_the_radius(share), "==", log(L) / printed),
        Statement(ball * score, "<=", ball * (log(L) / printed), given),
        Statement(ball * constant(), "<=", 108 * exp(4 * log(L) / printed) * K, given),
        Statement(QUERY.mean(2 * constant() * front * G * ball), "<=", 216 * K * QUERY.mean(G) * end, given),
    )


@cache
def term_1(order: int) -> tuple[Theorem, ...]:
    """The inequalities at one query in the ball, and the mean over the query."""
    share = SHARE[order]
    first, _, _, last = term_1_statements(order)
    G, bound = size_of_g(order) ** (order // 2), constant_in_the_ball(share)
    front = log(L) / L if order == 2 else K / sqrt(L)
    point = gcongr(2 * front * G * bound.lhs, bound)
    powers = arithmetic(
        exp(4 * log(L) / share) / (L if order == 2 else sqrt(L)), "==", 1 / L ** Fraction(2, 3 * order)
    )
    average = integrated(
        "query", (query,), point, last.lhs, 216 * K * QUERY.mean(G) * front * exp(4 * log(L) / share)
    )
    form = 216 * K * QUERY.mean(G) * (log(L) if order == 2 else K) * powers.lhs
    average = chain(average, form, gcongr(form, powers), last.rhs)
    return equal(first.lhs, first.rhs), score_in_the_ball(share), bound, average


def exponent_of_term_2(order: int, p: int) -> tuple[Term, Fraction, Term]:
    """The half of L from which the exponential is taken off, the multiple of sigma^2 |Uz|^2 in that
    exponential, and the factor q of both, for Lemma C.6 and, of order 4, for Lemma C.9.
    """
    if order == 2:
        return p_th_root(L / 2, p), Fraction(2, p), p_th_root(K, p) / scale(p)
    return sqrt(L / 8), Fraction(2), K / scale(1)


def term_2_statement(p: int, share: int | None = None, order: int = 2) -> Statement:
    """1 exp(-((L/2)^{1/p} - e^{(2/p) sigma^2 |Uz|^2}) q) <= exp(-((L/2)^{1/p} - L^{1/(3p)}) q),
    where q = E[|f|^4]^{1/(2p)}/(16 sigma^2 C_f^{2/p}); for Lemma C.9 (L/8)^{1/2}, 2, L^{1/6} and q
    = E[|f|^4]^{1/2}/(16 sigma^2 C_f^2).
    """
    half, factor, q = exponent_of_term_2(order, p)
    left = exp(-(half - exp(factor * score)) * q) * in_the_ball(SHARE[order] if share is None else share)
    return Statement(left, "<=", exp(-(half - L ** (factor / SHARE[order])) * q), norm_of_U().assumptions)


@cache
def term_2(p: int, order: int = 2) -> Theorem:
    """e^{(2/p) sigma^2 |Uz|^2} <= L^{1/(3p)} in the ball."""
    share = SHARE[order]
    ball, at = in_the_ball(share), score_in_the_ball(share)
    half, factor, q = exponent_of_term_2(order, p)
    part = factor * log(L) / share
    scaled = chain(ball * (factor * score), gcongr(factor * at.lhs, at), ball * part)
    weight = exponential(ball, factor * score, scaled, part)
    power = arithmetic(exp(part), "==", L ** (factor / share))
    weight = chain(weight, gcongr(weight.rhs, power))
    before, after = (-(half - e) * q for e in (exp(factor * score), L ** (factor / share)))
    rest = ball * (-half * q)
    step = chain(ball * before, weight.lhs * q + rest, gcongr(weight.lhs * q + rest, weight), ball * after)
    line = exponential(ball, before, step, after)
    one = instantiate(arithmetic(Op("ind", (X_,)), "<=", 1), {X_: ball.args[0]})
    return chain(term_2_statement(p, order=order).lhs, line, gcongr(line.rhs, one))


# -- The query of Lemma C.6, and the constants of (18) ---------------------------------------------

n = Variable("n", range=POSITIVE)
time_ = Variable("t", range=NONNEGATIVE)


def rare_query_statements(half: int | Fraction = HALF) -> tuple[Statement, ...]:
    """The moment generating function of the query n or -n with probability q/2 each, q =
    e^{-n^2}/n^2, and 0 otherwise, is at most e^{half t^2} at t and at -t.
    """
    q = exp(-(n**2)) / n**2
    of = lambda t: 1 - q + q / 2 * exp(n * t) + q / 2 * exp(-n * t)
    return tuple(Statement(of(t), "<=", exp(Fraction(half) * time_**2)) for t in (time_, -time_))


@cache
def rare_query() -> tuple[Theorem, Theorem]:
    """q (cosh(nt) - 1) <= (t^2/2) e^{nt - n^2} <= (t^2/2) e^{t^2/4} <= e^{t^2/2} - 1."""
    parabola = arithmetic((exp(N_) + exp(-N_)) / 2 - 1, "<=", N_**2 / 2 * exp(N_))
    parabola = instantiate(parabola, {N_: n * time_})
    square = arithmetic(n * time_ - n**2, "<=", time_**2 / 4)
    last = arithmetic(2 * N_ * exp(N_), "<=", exp(2 * N_) - 1)
    last = instantiate(last, {N_: time_**2 / 4})
    q = exp(-(n**2)) / n**2
    start = rare_query_statements()[0].lhs
    line = chain(
        start,
        1 + q * parabola.lhs,
        gcongr(1 + q * parabola.lhs, parabola),
        1 + time_**2 / 2 * exp(square.lhs),
    )
    line = chain(line, gcongr(line.rhs, square), 1 + last.lhs)
    line = chain(line, gcongr(line.rhs, last), exp(time_**2 / 2))
    return line, line


def third_constant_statement(c: int | Fraction = 1, decay: Fraction = Fraction(1, 6)) -> Statement:
    """sigma^4 (a + b ln(L)^2)/L^2 <= c (a + b) (e sigma^4 L^{3/2} e^{-sqrt(L)/sigma^2} +
    L^{-decay}).
    """
    left = sigma**4 * (A_ + B_ * log(L) ** 2) / L**2
    first = exp(1) * sigma**4 * L ** Fraction(3, 2) * exp(-sqrt(L) / sigma**2)
    return Statement(left, "<=", Fraction(c) * (A_ + B_) * (first + L ** -Fraction(decay)))


@cache
def third_constant() -> Theorem:
    """The first term is enough where L <= sigma^4, and the second one elsewhere."""
    small, large = Op("ind", (sigma**4 - L,)), Op("above", (L - sigma**4,))
    logs = (term(1), log(L) ** 2)
    few, many = (
        [arithmetic(e / L**shift, "<=", L**power) for e in logs]
        for shift, power in ((2, Fraction(3, 2)), (1, Fraction(-1, 6)))
    )
    least = arithmetic(small, "<=", exp(1) * exp(-sqrt(L) / sigma**2))
    light = arithmetic(large * sigma**4, "<=", L)
    cases = arithmetic(N_, "<=", small * N_ + large * N_)
    cases = instantiate(cases, {N_: sigma**4 * (A_ + B_ * log(L) ** 2) / L**2})
    together = lambda lines: A_ * lines[0].lhs + B_ * lines[1].lhs
    parts = small * sigma**4 * together(few) + large * sigma**4 * (together(many) / L)
    cases = chain(cases, parts, gcongr(parts, *few, least, light))
    return chain(cases, gcongr(cases.rhs, *many), third_constant_statement().rhs)
