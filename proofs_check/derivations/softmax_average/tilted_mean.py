"""Lemma D.1: the mean of the tilted tokens, and the output of attention for an infinite prompt."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, log, root, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate, integrate, limit
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import Defined, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.moments import weight_at_least_one
from proofs_check.derivations.softmax_average.query_average import (
    U,
    V,
    at_the_query,
    b,
    l,
    norm_of_the_score,
    norm_U,
    norm_V,
    operator_norm,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    a,
    d,
    eps,
    i,
    j,
    k,
    m,
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
from proofs_check.derivations.softmax_average.tilted import (
    QUERY,
    query,
    sub_gaussian_query,
    weighted_moment,
    y,
)
from theory.bounds.sub_gaussian import fourth_moment_d1, lemma_d1

P_, T_ = (Variable(name, range=NONNEGATIVE) for name in ("P", "T"))
tilted = mean(w * z(j, k)) / m0
#: |V T|^2 at a query.
size_at_a_query = instantiated(
    over(i, m, over(l, d, V(i, l) * instantiated(tilted, {j: l})) ** 2), at_the_query
)
size_of_a, size_of_T = Defined("A2", over(j, d, a(j) ** 2)), Defined("T2", over(j, d, tilted**2))


@cache
def change_of_measure() -> Theorem:
    """s |T|^2 <= sigma^2 |a + s T|^2/2 for every s > 0 and the tilted mean T = E wZ/E w.

    With y = s T.Z and n = s |T|^2, e^{a.Z + y} >= w e^n (1 + y - n), whose mean is e^n E w >= e^n,
    and the mean of the left side is at most e^{sigma^2 |a + s T|^2/2}.
    """
    y, n = s * over(j, d, tilted * z(j, k)), s * size_of_T
    tangent = instantiate(arithmetic(1 + x, "<=", exp(x)), {x: y - n})
    point = chain(gcongr(w * exp(n) * tangent.lhs, tangent), w * exp(y))
    average = integrated("mean", (k,), point, m0 * exp(n), mean(w * exp(y)))
    norm = sigma**2 / 2 * (size_of_a + 2 * s * over(j, d, a(j) * tilted) + s**2 * size_of_T)
    above = chain(average, instantiate(sub_gaussian(), {v: ((j,), a(j) + s * tilted)}), exp(norm))
    power = arithmetic(exp(n), "<=", exp(norm), above, weight_at_least_one(), hide=(exp(n), exp(norm)))
    logarithm = chain(gcongr(log(exp(n)), power), arithmetic(log(exp(norm)), "==", norm))
    return chain(arithmetic(n, "==", log(exp(n))), logarithm)


@cache
def size_of_the_mean() -> Theorem:
    """|T| <= 2 sigma^2 |a|, from the best s, (|a| + eps)/(|T| + eps), as eps tends to 0."""
    p, t = Defined("p", sqrt(size_of_a)), Defined("t", sqrt(size_of_T))
    schwarz = cauchy_schwarz("coordinates", (j,), a(j), tilted, (d,))
    schwarz = chain(schwarz, size_of_a * size_of_T)
    cross = chain(root(schwarz, over(j, d, a(j) * tilted), sqrt(size_of_a) * sqrt(size_of_T)), p * t)
    best = (P_ + eps) / (T_ + eps)
    step = chain(change_of_measure(), gcongr(change_of_measure().rhs, cross))
    step = chain(s * t**2, step, sigma**2 / 2 * (p + s * t) ** 2)
    at = {P_: p, T_: t}
    at_best = instantiate(step, {s: (p + eps) / (t + eps)})
    left = instantiate(arithmetic(T_ - eps, "<=", best * T_**2 / (P_ + eps)), at)
    right = instantiate(arithmetic((P_ + best * T_) ** 2 / (P_ + eps), "<=", 4 * (P_ + eps)), at)
    middle = chain(
        at_best.lhs / (p + eps), gcongr(at_best.lhs / (p + eps), at_best), sigma**2 / 2 * right.lhs
    )
    near = chain(left, middle, gcongr(sigma**2 / 2 * right.lhs, right))
    near = arithmetic(t, "<=", 2 * sigma**2 * p + eps * (2 * sigma**2 + 1), near)
    return limit(near, eps, 2 * sigma**2 * p, 2 * sigma**2 + 1)


@cache
def fourth_moment_of_the_query() -> Theorem:
    """E|y|^4 <= 16 d^2 for a 1-sub-Gaussian query: the bound (2(d + 2))^2/e of all moments."""
    raw = weighted_moment(2, QUERY, Fraction(0))
    plain = chain(QUERY.mean(QUERY.square**2), raw)
    return chain(plain, arithmetic(plain.rhs, "<=", 16 * d**2))


@cache
def output_at_a_query() -> Theorem:
    """|V T|^2 <= 4 sigma^4 |V|^2 |U|^2 |y|^2 at a query y, with a = U y."""
    bound = size_of_the_mean()
    size = chain(gcongr(bound.lhs**2, bound), 4 * sigma**4 * over(j, d, a(j) ** 2))
    size = instantiate(chain(over(j, d, tilted**2), size), at_the_query)
    size = chain(size, gcongr(size.rhs, norm_of_the_score()))
    image = instantiate(operator_norm(V, norm_V, m), {b: ((l,), instantiated(tilted, {j: l}))})
    image = instantiate(image, at_the_query)
    return chain(image, norm_V**2 * size.lhs, gcongr(norm_V**2 * size.lhs, size))


@cache
def output() -> Theorem:
    """E|V T|^4 over the query is at most (4 sigma^2 |V||U| sqrt(d))^4."""
    image = output_at_a_query()
    fourth = gcongr(image.lhs**2, image)
    factor = 16 * norm_V**4 * norm_U**4 * sigma**8
    average = integrated("query", (query,), fourth, None, factor * QUERY.mean(QUERY.square**2))
    return chain(
        average,
        gcongr(average.rhs, fourth_moment_of_the_query()),
        256 * norm_V**4 * norm_U**4 * sigma**8 * d**2,
    )


def size_statement(c: int | Fraction = 2) -> Statement:
    """|T| <= c sigma^2 |a|."""
    return Statement(
        sqrt(size_of_T), "<=", Fraction(c) * sigma**2 * sqrt(size_of_a), sub_gaussian().assumptions
    )


def fourth_moment_statement(c: int | Fraction = 2) -> Statement:
    """E|y|^4 <= (c sqrt(d))^4."""
    d_ = sp.Symbol("d", positive=True)
    bound = from_sympy(fourth_moment_d1(d_, sp.Rational(c)) ** 4, {d_: d})
    return Statement(QUERY.mean(QUERY.square**2), "<=", bound, sub_gaussian_query().assumptions)


def moment_statement(c: int | Fraction = 4) -> Statement:
    """The same for the tilted mean of f(z) = V z, the left side of Assumption C.5 (ii) for g = 1,
    where V stands under the mean.
    """
    of_f = over(i, m, (mean(w * over(l, d, V(i, l) * z(l, k))) / m0) ** 2)
    bound = output_statement(c)
    return Statement(QUERY.mean(instantiated(of_f, at_the_query) ** 2), "<=", bound.rhs, bound.assumptions)


def output_statement(c: int | Fraction = 4) -> Statement:
    """E|V T|^4 <= (c sigma^2 |V||U| sqrt(d))^4 over the query."""
    s_, V_, U_, d_ = sp.symbols("sigma V U d", positive=True)
    bound = from_sympy(
        lemma_d1(s_, V_, U_, d_, sp.Rational(c)) ** 4, {s_: sigma, V_: norm_V, U_: norm_U, d_: d}
    )
    given = (sub_gaussian(), sub_gaussian_query(), operator_norm(U, norm_U, d), operator_norm(V, norm_V, m))
    return Statement(QUERY.mean(size_at_a_query**2), "<=", bound, hypotheses(*given))


# -- the lines of the last display of the proof ----------------------------------------------------

tilted_square = instantiated(over(j, d, tilted**2), at_the_query)
score_square = over(i, d, over(l, d, U(i, l) * y(l, query)) ** 2)


def display_statements(
    factor: int | Fraction = 4, slope: int | Fraction = 2, norm: int | Fraction = 1
) -> tuple[Statement, ...]:
    """The fourth powers of the lines: E|V T|^4, |V|^4 E|T|^4, |V|^4 E(slope sigma^2 |U y|)^4,
    (2 sigma^2 |V||U|)^4 E|y|^4 and (factor sigma^2 |V||U| sqrt(d))^4, where `norm` multiplies the
    norms of V in the second line and of U in the fourth.
    """
    of_V, of_U = operator_norm(V, norm_V, m).assumptions, operator_norm(U, norm_U, d).assumptions
    scores = lambda c: norm_V**4 * QUERY.mean((c**2 * sigma**4 * score_square) ** 2)
    norm, slope, fourth = Fraction(norm), Fraction(slope), QUERY.mean(QUERY.square**2)
    queries = (2 * sigma**2 * norm_V * norm_U) ** 4 * fourth
    tilted_fourth = QUERY.mean(tilted_square**2)
    return (
        Statement(QUERY.mean(size_at_a_query**2), "<=", (norm * norm_V) ** 4 * tilted_fourth, of_V),
        Statement(norm_V**4 * tilted_fourth, "<=", scores(slope), sub_gaussian().assumptions),
        Statement(scores(Fraction(2)), "<=", norm**4 * queries, of_U),
        Statement(queries, "<=", output_statement(factor).rhs, sub_gaussian_query().assumptions),
    )


@proves("BB:LD.1.arg", display_statements, part=(1, 2, 3, 4))
def lines_of_the_display() -> tuple[Theorem, ...]:
    """Each line is a bound at a query, or the fourth moment of the query."""
    first, second, third, fourth = display_statements()
    image = instantiate(operator_norm(V, norm_V, m), {b: ((l,), instantiated(tilted, {j: l}))})
    image, score = instantiate(image, at_the_query), norm_of_the_score()
    size = calc(
        over(j, d, tilted**2),
        ("==", sqrt(size_of_T) ** 2),
        ("<=", size_of_the_mean().rhs ** 2, size_of_the_mean()),
    )
    size = instantiate(calc(size, ("==", 4 * sigma**4 * over(j, d, a(j) ** 2))), at_the_query)
    point = lambda thm: gcongr(thm.lhs**2, thm)
    mean_of = lambda thm: integrate("query", (query,), point(thm))
    return (
        calc(first.lhs, ("<=", mean_of(image).rhs, mean_of(image)), ("==", first.rhs)),
        calc(second.lhs, ("<=", norm_V**4 * mean_of(size).rhs, mean_of(size)), ("==", second.rhs)),
        calc(
            third.lhs,
            ("==", norm_V**4 * (16 * sigma**8 * mean_of(score).lhs)),
            ("<=", norm_V**4 * (16 * sigma**8 * mean_of(score).rhs), mean_of(score)),
            ("==", third.rhs),
        ),
        calc(
            fourth.lhs,
            ("<=", (2 * sigma**2 * norm_V * norm_U) ** 4 * (16 * d**2), fourth_moment_of_the_query()),
            ("==", fourth.rhs),
        ),
    )
