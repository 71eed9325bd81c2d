"""Terms 1 and 2 of the proofs of Lemmas C.6 and C.9: means over the queries with |z| <= B."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

import sympy as sp

from numerics.derivations.derived import N_, X_, Y_, exp, log, sqrt, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, equal, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.lemmas_c6_and_c9.lemma_c4 import p_th_root, scale
from proofs_check.derivations.proof import both_powers, proves
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
    ball, radius, size = in_the_ball(share), square_of_the_radius(share), QUERY.square
    image = instantiate(norm_of_U(), {b: ((l,), y(l, query))})
    inside = arithmetic(Op("ind", (A_ - N_,)) * N_, "<=", Op("ind", (A_ - N_,)) * A_)
    return calc(
        ball * score,
        ("<=", ball * sigma**2 * norm_U**2 * size, image),
        ("<=", ball * sigma**2 * norm_U**2 * radius, instantiate(inside, {A_: radius, N_: size})),
        ("==", ball * (log(L) / share)),
    )


def exponential(ball: Op, X: Term, larger: Theorem, Y: Term) -> Theorem:
    """1 e^X <= 1 e^Y on an event, from 1 X <= 1 Y."""
    event = Op("ind", (X_,))
    same = arithmetic(event * exp(Y_), "==", event * exp(event * Y_))
    of_X, of_Y = (instantiate(same, {X_: ball.args[0], Y_: e}) for e in (X, Y))
    return calc(of_X, ("<=", ball * exp(ball * Y), larger), ("==", ball * exp(Y), symm(of_Y)))


@cache
def constant_in_the_ball(share: int) -> Theorem:
    """1 C(z) <= 108 e^{4 ln(L)/share} K."""
    ball, four, most = in_the_ball(share), 4 * score, 4 * log(L) / share
    scaled = show(ball * four, "<=", ball * most, score_in_the_ball(share))
    return calc(
        ball * constant(),
        ("<=", 108 * K * (ball * exp(most)), exponential(ball, four, scaled, most)),
        ("<=", 108 * exp(most) * K, arithmetic(ball, "<=", 1)),
    )


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
    front, growth = (log(L) / L if order == 2 else K / sqrt(L)), exp(4 * log(L) / share)
    powers = arithmetic(growth / (L if order == 2 else sqrt(L)), "==", 1 / L ** Fraction(2, 3 * order))
    average = calc(
        last.lhs,
        ("<=", QUERY.mean(2 * front * G * (108 * growth * K)), bound),
        ("==", 216 * K * QUERY.mean(G) * (log(L) if order == 2 else K) * powers.lhs),
        ("==", last.rhs, powers),
    )
    return equal(first.lhs, first.rhs), score_in_the_ball(share), bound, average


proves("BB:17", lambda **numbers: term_1_statements(2, **numbers), part=range(1, 5))(partial(term_1, 2))
proves("BB:19", lambda **numbers: term_1_statements(4, **numbers), part=range(1, 5))(partial(term_1, 4))


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


@proves("BB:LC.6.T2", both_powers(term_2_statement), at=(1, 2))
@cache
def term_2(p: int, order: int = 2) -> Theorem:
    """e^{(2/p) sigma^2 |Uz|^2} <= L^{1/(3p)} in the ball."""
    share = SHARE[order]
    half, factor, q = exponent_of_term_2(order, p)
    ball, part, power = in_the_ball(share), factor * log(L) / share, L ** (factor / share)
    scaled = show(ball * (factor * score), "<=", ball * part, score_in_the_ball(share))
    weight = calc(
        exponential(ball, factor * score, scaled, part),
        ("==", ball * power, arithmetic(exp(part), "==", power)),
    )
    before, after = (-(half - e) * q for e in (exp(factor * score), power))
    line = exponential(ball, before, show(ball * before, "<=", ball * after, weight), after)
    return calc(
        ball * exp(before), ("<=", ball * exp(after), line), ("<=", exp(after), arithmetic(ball, "<=", 1))
    )


proves("BB:LC.9.T2/display", lambda share=12: term_2_statement(1, share, 4))(partial(term_2, 1, 4))


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


@proves("BB:LC.6/query", rare_query_statements, part=(1, 2))
@cache
def rare_query() -> tuple[Theorem, Theorem]:
    """q (cosh(nt) - 1) <= (t^2/2) e^{nt - n^2} <= (t^2/2) e^{t^2/4} <= e^{t^2/2} - 1."""
    q, t, nt = exp(-(n**2)) / n**2, time_, n * time_
    parabola = arithmetic((exp(N_) + exp(-N_)) / 2 - 1, "<=", N_**2 / 2 * exp(N_))
    last = arithmetic(1 + 2 * N_ * exp(N_), "<=", exp(2 * N_))
    line = calc(
        1 - q + q / 2 * exp(nt) + q / 2 * exp(-nt),
        ("==", 1 + q * ((exp(nt) + exp(-nt)) / 2 - 1)),
        ("<=", 1 + q * (nt**2 / 2 * exp(nt)), instantiate(parabola, {N_: nt})),
        ("==", 1 + t**2 / 2 * exp(nt - n**2)),
        ("<=", 1 + t**2 / 2 * exp(t**2 / 4), arithmetic(nt - n**2, "<=", t**2 / 4)),
        ("<=", exp(t**2 / 2), instantiate(last, {N_: t**2 / 4})),
    )
    return line, line


def third_constant_statement(c: int | Fraction = 1, decay: Fraction = Fraction(1, 6)) -> Statement:
    """sigma^4 (a + b ln(L)^2)/L^2 <= c (a + b) (e sigma^4 L^{3/2} e^{-sqrt(L)/sigma^2} +
    L^{-decay}).
    """
    left = sigma**4 * (A_ + B_ * log(L) ** 2) / L**2
    first = exp(1) * sigma**4 * L ** Fraction(3, 2) * exp(-sqrt(L) / sigma**2)
    return Statement(left, "<=", Fraction(c) * (A_ + B_) * (first + L ** -Fraction(decay)))


@proves("BB:18/c3", third_constant_statement)
@cache
def third_constant() -> Theorem:
    """The first term is enough where L <= sigma^4, and the second one elsewhere."""
    small, large, ln2 = Op("ind", (sigma**4 - L,)), Op("above", (L - sigma**4,)), log(L) ** 2
    left = sigma**4 * (A_ + B_ * ln2) / L**2
    cases = instantiate(arithmetic(N_, "<=", small * N_ + large * N_), {N_: left})
    few = [arithmetic(e / L**2, "<=", L ** Fraction(3, 2)) for e in (term(1), ln2)]
    many = [arithmetic(e / L, "<=", L ** Fraction(-1, 6)) for e in (term(1), ln2)]
    root = arithmetic(sqrt(L) * small, "<=", sigma**2 * small)
    tangent = instantiate(arithmetic(1 + X_, "<=", exp(X_)), {X_: 1 - sqrt(L) / sigma**2})
    least = calc(
        small,
        ("<=", small * tangent.lhs, root, sqrt(L)),
        ("<=", small * tangent.rhs, tangent),
        ("<=", tangent.rhs, tangent.rhs),
        ("==", exp(1) * exp(-sqrt(L) / sigma**2)),
    )
    front = least.rhs * sigma**4 * L ** Fraction(3, 2)
    light = arithmetic(large * sigma**4, "<=", L)
    both = lambda lines: A_ * lines[0].lhs + B_ * lines[1].lhs
    return calc(
        cases,
        ("==", small * sigma**4 * both(few) + large * sigma**4 * (both(many) / L)),
        ("<=", (A_ + B_) * front + both(many), *few, least, light),
        ("<=", third_constant_statement().rhs, *many),
    )
