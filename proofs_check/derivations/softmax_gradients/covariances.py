"""The errors of the second moments, of the products of means and of the covariance of a prompt, in
the norm of Frobenius at a fixed query: one bound for all three.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import chain, exp, integrated, interpolated, log, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.terms import Defined, Op, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average import fourth_moment, moments, second_moment
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average.query_average import (
    average_of_powers,
    fixed_error,
    of_the_tokens,
    theta,
)
from proofs_check.derivations.softmax_average.softmax_average import a2, expectation, i, j, k, sigma, x, y, z
from proofs_check.derivations.softmax_average.tilted import h, moment_of_the_norm, tilted_moment
from proofs_check.derivations.softmax_gradients import averages, second_moments
from proofs_check.derivations.softmax_gradients.averages import LAW, PROMPT, Average, F, over_both
from proofs_check.derivations.softmax_gradients.second_moments import K8

err2 = Defined("err2", fixed_error)
K4 = Defined("K4", sqrt(W.mean(F)))
size_of_m = Defined("m2", W.over(i, W.d, LAW(z(i, k)) ** 2))


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
PRODUCT = Matrix(averages.product, y + W.u, (0, 2, 2))
COVARIANCE = Matrix(averages.covariance, x - y - W.u, (3, 3, 3))
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
    mu, e = lambda n: LAW(z(n, k)), lambda n: PROMPT(z(n, k)) - LAW(z(n, k))
    zz, ee, me, em = SECOND_MOMENT.error, e(i) * e(j), mu(i) * e(j), e(i) * mu(j)
    D = instantiated(of.parts, {x: zz, y: ee, W.u: me + em})
    squares = p * zz**2 + q * ee**2 + 2 * r * (me**2 + em**2)
    return calc(
        of.squared,
        ("==", over_both(D**2)),
        ("<=", over_both(squares), show(D**2, "<=", squares, zz, ee, me, em)),
        ("==", p * second_moments.error_squared + q * err2**2 + 4 * r * size_of_m * err2),
    )


def mean_of_a_sum(thm: Theorem, *parts: tuple[Term | int, Term]) -> Theorem:
    """From X <= c_1 Y_1 + c_2 Y_2 + .. to E X <= c_1 E Y_1 + c_2 E Y_2 + .. over the prompt, for
    nonnegative Y_n and numbers c_n >= 0, also where a term that Y_n consists of may have no mean.
    """
    whole = [Op("max", (Y, term(0))) for _, Y in parts]
    add = lambda terms: sum((c * Y for (c, _), Y in zip(parts, terms)), term(0))
    values = [Y for _, Y in parts]
    point = chain(thm, add(values), arithmetic(add(values), "<=", add(whole), hide=tuple(values)))
    average = integrated("prompt", (W.prompt,), point, None, add(map(expectation, whole)))
    back = [
        integrated("prompt", (W.prompt,), arithmetic(X, "<=", Y, hide=(Y,))) for X, Y in zip(whole, values)
    ]
    return chain(average, gcongr(average.rhs, *back))


@cache
def with_concentration(of: Matrix) -> Theorem:
    """E|D|^2 <= K8 (750 e^{8 a2}/L + 24000 e^{16 a2}/L^2): R1 for zz' and for z, and R2 for z."""
    p, q, r = of.numbers
    fourth = instantiate(fourth_moment.theorem(), {fourth_moment.f: ((i, k), z(i, k)), W.m: W.d})
    known = (
        second_moments.theorem(),
        show(expectation(err2**2), "<=", 8000 * exp(16 * a2) * K8 / L**2, fourth),
        show(expectation(err2), "<=", 50 * exp(4 * a2) * K4 / L, of_the_tokens(second_moment.theorem())),
        show(size_of_m, "<=", exp(2 * a2) * K4, of_the_tokens(moments.size_of_the_limit())),
    )
    first = 50 * p * exp(4 * a2) / L * K8 + 8000 * q * exp(16 * a2) / L**2 * K8
    larger = show(50 * p * exp(4 * a2) + 200 * r * exp(6 * a2), "<=", 750 * exp(8 * a2))
    square = show(8000 * q * exp(16 * a2), "<=", 24000 * exp(16 * a2))
    return calc(
        mean_of_a_sum(split(of), (p, second_moments.error_squared), (q, err2**2), (4 * r * size_of_m, err2)),
        ("<=", first + 200 * r * exp(6 * a2) / L * W.mean(F), *known),
        ("<=", larger.lhs / L * K8 + square.lhs / L**2 * K8, second_moments.mean_fourth_power()),
        ("<=", K8 * (larger.rhs / L + square.rhs / L**2), larger, square),
    )


@cache
def without_concentration(of: Matrix) -> Theorem:
    """E|D|^2 <= 32 sigma^4 ((1 + ln L + h)^2 + (1 + h + a2)^2), from the sizes of both matrices."""
    finite, infinite = of.entry(PROMPT), of.entry(LAW)
    two = show((finite - infinite) ** 2, "<=", 2 * finite**2 + 2 * infinite**2, finite, infinite)
    sizes = calc(
        of.squared,
        ("<=", over_both(2 * finite**2 + 2 * infinite**2), two),
        ("==", 2 * over_both(finite**2) + 2 * over_both(infinite**2)),
        ("<=", 2 * PROMPT(F) + 2 * LAW(F), SIZES[of](PROMPT), SIZES[of](LAW)),
    )
    return calc(
        expectation(of.squared),
        ("<=", 2 * expectation(PROMPT(F)) + 2 * LAW(F), sizes),
        (
            "<=",
            32 * sigma**4 * ((1 + log(L) + h) ** 2 + (1 + h + a2) ** 2),
            average_of_powers(2),
            tilted_moment(2),
        ),
    )


#: What both bounds are below, in units of sigma^4, and the exponent of e^{8 a2}/L.
bracket = 25065 * (12 + 4 * h) ** 2 + Fraction(4016, 125) * (log(L) ** 2 + a2**2)
exponent, M = 8 * a2 - log(L), Defined("M", sigma**4 * bracket)


def share(power: Term) -> Term:
    return (750 * power + 24000 * power**2) / 25065


@cache
def larger() -> tuple[Theorem, Theorem]:
    """Both bounds are at most M share(e^{8 a2}/L) and M."""
    unit, power, c = (12 + 4 * h) ** 2, exp(exponent), Fraction(4016, 125)
    eighth = show(K8, "<=", sigma**4 * unit, moment_of_the_norm(4))
    words = [show(exp(8 * n * a2) / L**n, "==", power**n) for n in (1, 2)]
    young = [show(32 * (1 + h + e) ** 2, "<=", 8032 * (1 + h) ** 2 + c * e**2) for e in (log(L), a2)]
    long = calc(
        K8 * (750 * words[0].lhs + 24000 * words[1].lhs),
        ("<=", sigma**4 * (25065 * unit) * share(power), eighth, *words),
        ("<=", M * share(power), show(25065 * unit, "<=", bracket)),
    )
    short = calc(
        sigma**4 * (young[0].lhs + young[1].lhs),
        ("<=", sigma**4 * (16064 * (1 + h) ** 2 + c * (log(L) ** 2 + a2**2)), *young),
        ("<=", M, show(16064 * (1 + h) ** 2, "<=", 25065 * unit)),
    )
    return long, short


@cache
def at_a_fixed_query(of: Matrix) -> Theorem:
    """E|D|^2 <= M e^{theta(8 a2 - ln L)} for every theta in [0, 1]: at e^x <= 1 by the first bound
    and elsewhere by the second, as e^{2 x} <= e^x there.
    """
    long, short = (
        chain(*both) for both in zip((with_concentration(of), without_concentration(of)), larger())
    )
    X, power = long.lhs, exp(exponent)
    below, above = Op("ind", (1 - power,)), Op("above", (power - 1,))
    cases = calc(
        X,
        ("<=", below * X + above * X, long, X, power),
        ("<=", below * (M * share(power)) + above * M, gcongr(below * X, long), gcongr(above * X, short)),
        ("<=", M * power, M, power),
    )
    return interpolated(cases, short, M, exponent, theta)
