"""The errors of the second moments, of the products of means and of the covariance of a prompt, in
the norm of Frobenius at a fixed query: one bound for all three.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import chain, exp, integrated, interpolated, log, root, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.terms import Defined, Op, Term, term
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.softmax_average import fourth_moment, moments, second_moment
from proofs_check.derivations.softmax_average.query_average import (
    average_of_powers,
    fixed_error,
    of_the_tokens,
    theta,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    a2,
    d,
    expectation,
    i,
    j,
    k,
    m,
    mean,
    over,
    prompt,
    s,
    sigma,
    t,
    u,
    x,
    y,
    z,
)
from proofs_check.derivations.softmax_average.tilted import TOKEN, h, moment_of_the_norm, tilted_moment
from proofs_check.derivations.softmax_gradients import averages, second_moments
from proofs_check.derivations.softmax_gradients.averages import LAW, PROMPT, Average, F, entries, over_both
from proofs_check.derivations.softmax_gradients.second_moments import K8

err2 = Defined("err2", fixed_error)
K4 = Defined("K4", sqrt(mean(F)))
size_of_m = Defined("m2", over(i, d, LAW(z(i, k)) ** 2))


class Matrix(NamedTuple):
    """An entry as a function of the average, its error in terms of x, y and u, and p, q, r with
    which the square of this is at most p x^2 + q y^2 + r u^2.

    Here x is the error of the second moments of z, y is ee' and u is me' + em' for means m + e and
    m of z.
    """

    entry: Callable[[Average], Term]
    parts: Term
    numbers: tuple[int, int, int]

    @property
    def error(self) -> Term:
        """Entry (i, j) of the difference of its values for a prompt and for the law."""
        return self.entry(PROMPT) - self.entry(LAW)

    @property
    def squared(self) -> Term:
        """The squared error in the norm of Frobenius."""
        return over_both(self.error**2)


SECOND_MOMENT = Matrix(averages.second_moment, x + 0, (1, 0, 0))
PRODUCT = Matrix(averages.product, y + u, (0, 2, 2))
COVARIANCE = Matrix(averages.covariance, x - y - u, (3, 3, 3))
#: The bound E|z|^4 of the squared size of a matrix.
SIZES = {
    SECOND_MOMENT: averages.size_of_the_second_moment,
    PRODUCT: averages.size_of_the_product,
    COVARIANCE: averages.size_of_the_covariance,
}


@cache
def split(of: Matrix) -> Theorem:
    """|D|^2 <= p|M_L - M|^2 + q|e|^4 + 4r|m|^2|e|^2 for the error D of the matrix, with second
    moments M_L, M and means m + e, m of the tokens.
    """
    p, q, r = of.numbers
    m = [LAW(z(n, k)) for n in (i, j)]
    e = [PROMPT(z(n, k)) - LAW(z(n, k)) for n in (i, j)]
    square = arithmetic(of.parts**2, "<=", p * x**2 + q * y**2 + r * u**2)
    two = instantiate(arithmetic((x + y) ** 2, "<=", 2 * x**2 + 2 * y**2), {x: m[0] * e[1], y: e[0] * m[1]})
    values = {x: SECOND_MOMENT.error, y: e[0] * e[1], u: m[0] * e[1] + e[0] * m[1]}
    parts = chain(of.error**2, instantiate(square, values))
    parts = chain(parts, gcongr(parts.rhs, two))
    return entries(
        parts, of.squared, p * second_moments.error_squared + q * err2**2 + 4 * r * size_of_m * err2
    )


def mean_of_a_sum(thm: Theorem, *parts: tuple[Term | int, Term]) -> Theorem:
    """From X <= c_1 Y_1 + c_2 Y_2 + .. to E X <= c_1 E Y_1 + c_2 E Y_2 + .. over the prompt, for
    nonnegative Y_n and numbers c_n >= 0, also where a term that Y_n consists of may have no mean.
    """
    whole = [Op("max", (Y, term(0))) for _, Y in parts]
    add = lambda terms: sum((c * Y for (c, _), Y in zip(parts, terms)), term(0))
    values = [Y for _, Y in parts]
    point = chain(thm, add(values), arithmetic(add(values), "<=", add(whole), hide=tuple(values)))
    average = integrated("prompt", (prompt,), point, None, add(map(expectation, whole)))
    back = [integrated("prompt", (prompt,), arithmetic(X, "<=", Y, hide=(Y,))) for X, Y in zip(whole, values)]
    return chain(average, gcongr(average.rhs, *back))


@cache
def with_concentration(of: Matrix) -> Theorem:
    """E|D|^2 <= K8 (750 e^{8 a2}/L + 24000 e^{16 a2}/L^2): R1 for zz' and for z, and R2 for z."""
    p, q, r = of.numbers
    average = mean_of_a_sum(
        split(of), (p, second_moments.error_squared), (q, err2**2), (4 * r * size_of_m, err2)
    )
    fourth = instantiate(fourth_moment.theorem(), {fourth_moment.f: ((i, k), z(i, k)), m: d})
    fourth = chain(expectation(err2**2), fourth, 8000 * exp(16 * a2) * K8 / L**2)
    second = chain(expectation(err2), of_the_tokens(second_moment.theorem()), 50 * exp(4 * a2) * K4 / L)
    limit = chain(size_of_m, of_the_tokens(moments.size_of_the_limit()), exp(2 * a2) * K4)
    average = chain(average, gcongr(average.rhs, second_moments.theorem(), fourth, second, limit))
    first = 50 * p * exp(4 * a2) / L * K8 + 8000 * q * exp(16 * a2) / L**2 * K8
    average = chain(average, first + 200 * r * exp(6 * a2) / L * mean(F))
    average = chain(average, gcongr(average.rhs, second_moments.mean_fourth_power()))
    larger = arithmetic(50 * p * exp(4 * a2) + 200 * r * exp(6 * a2), "<=", 750 * exp(8 * a2))
    square = arithmetic(8000 * q * exp(16 * a2), "<=", 24000 * exp(16 * a2))
    average = chain(average, larger.lhs / L * K8 + square.lhs / L**2 * K8)
    return chain(average, gcongr(average.rhs, larger, square), K8 * (larger.rhs / L + square.rhs / L**2))


@cache
def without_concentration(of: Matrix) -> Theorem:
    """E|D|^2 <= 32 sigma^4 ((1 + ln L + h)^2 + (1 + h + a2)^2), from the sizes of both matrices."""
    two = instantiate(
        arithmetic((x - y) ** 2, "<=", 2 * x**2 + 2 * y**2), {x: of.entry(PROMPT), y: of.entry(LAW)}
    )
    finite, infinite = map(SIZES[of], (PROMPT, LAW))
    sizes = entries(two, of.squared, 2 * finite.lhs + 2 * infinite.lhs)
    sizes = chain(sizes, gcongr(sizes.rhs, finite, infinite))
    average = integrated("prompt", (prompt,), sizes, None, 2 * expectation(PROMPT(F)) + 2 * LAW(F))
    fourth = chain(expectation(PROMPT(F)), average_of_powers(2))
    average = chain(average, gcongr(average.rhs, fourth, chain(LAW(F), tilted_moment(2))))
    return chain(average, 32 * sigma**4 * ((1 + log(L) + h) ** 2 + (1 + h + a2) ** 2))


#: What both bounds are below, in units of sigma^4, and the exponent of e^{8 a2}/L.
bracket = 25065 * (12 + 4 * h) ** 2 + Fraction(4016, 125) * (log(L) ** 2 + a2**2)
exponent, M = 8 * a2 - log(L), Defined("M", sigma**4 * bracket)


def share(power: Term) -> Term:
    return (750 * power + 24000 * power**2) / 25065


@cache
def larger() -> tuple[Theorem, Theorem]:
    """Both bounds are at most M share(e^{8 a2}/L) and M."""
    unit, power = sigma**4 * (12 + 4 * h) ** 2, exp(exponent)
    eighth = chain(mean(TOKEN.square**4), moment_of_the_norm(4), unit**2)
    eighth = chain(K8, root(eighth, sqrt(mean(TOKEN.square**4)), unit))
    words = [arithmetic(exp(8 * n * a2) / L**n, "==", power**n) for n in (1, 2)]
    long = gcongr(K8 * (750 * words[0].lhs + 24000 * words[1].lhs), eighth, *words)
    less = arithmetic(25065 * (12 + 4 * h) ** 2, "<=", bracket, hide=(log(L),))
    long = chain(long, sigma**4 * less.lhs * share(power))
    long = chain(long, gcongr(long.rhs, less), M * share(power))
    young = arithmetic(32 * (x + y) ** 2, "<=", 8032 * x**2 + Fraction(4016, 125) * y**2)
    parts = [instantiate(young, {x: 1 + h, y: value}) for value in (log(L), a2)]
    short = gcongr(sigma**4 * (parts[0].lhs + parts[1].lhs), *parts)
    less = arithmetic(16064 * (1 + h) ** 2, "<=", 25065 * (12 + 4 * h) ** 2)
    short = chain(short, sigma**4 * (less.lhs + Fraction(4016, 125) * (log(L) ** 2 + a2**2)))
    return long, chain(short, gcongr(short.rhs, less), M)


@cache
def smaller_of_two() -> Theorem:
    """M share(e^x) where x <= 0, and M elsewhere, is at most M e^x, as e^{2 x} <= e^x there."""
    lemma = arithmetic(Op("ind", (1 - t,)) * (s * share(t)) + Op("above", (t - 1,)) * s, "<=", s * t)
    return instantiate(lemma, {s: M, t: exp(exponent)})


@cache
def at_a_fixed_query(of: Matrix) -> Theorem:
    """E|D|^2 <= M e^{theta(8 a2 - ln L)} for every theta in [0, 1]."""
    long, short = chain(with_concentration(of), larger()[0]), chain(without_concentration(of), larger()[1])
    X, below, above = long.lhs, Op("ind", (1 - exp(exponent),)), Op("above", (exp(exponent) - 1,))
    cases = arithmetic(X, "<=", below * X + above * X, long, hide=(X, exp(exponent)))
    cases = chain(
        cases, gcongr(cases.rhs, gcongr(below * X, long), gcongr(above * X, short)), smaller_of_two()
    )
    return interpolated(cases, short, M, exponent, theta)
