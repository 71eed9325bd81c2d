"""P3.4 for the gradient in U: the mean squared error over prompt and query, with our constants and
in the form of the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple

import sympy as sp

from numerics.derivations.derived import cauchy_schwarz, chain, exp, log
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import gcongr, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import query_average as Q
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average import tilted
from proofs_check.derivations.softmax_average.form_of_the_paper import bracket, decay, long_prompts
from proofs_check.derivations.softmax_average.query_average import V, at_the_query, kappa, l, norm_V
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, k, m, over, sigma, z
from proofs_check.derivations.softmax_average.tilted import QUERY, h, query, weighted_moment, y
from proofs_check.derivations.softmax_gradients.averages import LAW, PROMPT, Average
from proofs_check.derivations.softmax_gradients.covariances import (
    COVARIANCE,
    PRODUCT,
    SECOND_MOMENT,
    Matrix,
    at_a_fixed_query,
)
from proofs_check.derivations.softmax_gradients.tilted_powers import norm, row
from theory.bounds.query_average import gradient_U_average
from theory.bounds.query_average_constants import paper_constants_U

n = Variable("n", Sort.INDEX)
#: |y|^2 for the query y, and the exponent theta = min(1, 1/(32 kappa)).
size = over(n, d, y(n, query) ** 2)
power = 1 / Op("max", (term(1), 32 * kappa))
c = Fraction(4016, 125)


def gradient(average: Average) -> Term:
    """Entry (j, n) of the gradient in U of output i: the average of (v.z) z_j y_n, less the average
    of v.z times that of z_j y_n, for row v of V and the query y.
    """
    value, slope = over(l, d, V(i, l) * z(l, k)), z(j, k) * y(n, query)
    return average(value * slope) - average(value) * average(slope)


class Part(NamedTuple):
    """A squared error at a query, which is at most front |y|^2 times that of a matrix."""

    of: Matrix
    error: Term
    front: Term


def of_a_row(of: Matrix, entry: Callable[[Average], Term]) -> Part:
    """A term of the gradient of one output."""
    return Part(of, over(i, d, over(j, d, (entry(PROMPT) - entry(LAW)) ** 2)), norm)


#: The gradient of all outputs; the average of (v.z) z y'; that of v.z times that of z y'.
whole = Part(
    COVARIANCE, over(i, m, over(j, d, over(n, d, (gradient(PROMPT) - gradient(LAW)) ** 2))), norm_V**2
)
first_term = of_a_row(SECOND_MOMENT, lambda average: average(row * z(i, k) * y(j, query)))
second_term = of_a_row(PRODUCT, lambda average: average(row) * average(z(i, k) * y(j, query)))


@cache
def at_a_prompt(part: Part) -> Theorem:
    """The error of the gradient of all outputs is V(C_L - C) times y', and that of a term of the
    gradient of one output is a matrix times v times y'.
    """
    if part == whole:
        columns = {Q.b: ((l,), instantiated(COVARIANCE.error, {i: l}))}
        index, known = j, instantiate(Q.operator_norm(V, norm_V, m), columns)
    else:
        index, known = i, cauchy_schwarz("coordinates", (j,), part.of.error, W.v(j), (d,))
    return calc(
        part.error,
        ("==", size * over(index, d, known.lhs)),
        ("<=", part.front * size * part.of.squared, known),
    )


def _bracket(a: Term) -> Term:
    return 25065 * (12 + 4 * h) ** 2 + c * (log(L) ** 2 + a**2)


@cache
def at_a_query(of: Matrix) -> Theorem:
    """E|D|^2 <= sigma^4 (25065(12 + 4h)^2 + c ln(L)^2 + c kappa^2 |y|^4) e^{|y|^2/4}/L^theta for
    the error D of the matrix and c = 32.128 at a query y: theta is so small that 8 a2 theta is at
    most |y|^2/4.
    """
    fixed = instantiate(instantiate(at_a_fixed_query(of), {Q.theta: power}), at_the_query)
    form = lambda a: sigma**4 * _bracket(a) * exp(power * (8 * a - log(L)))
    front, length = sigma**4 * _bracket(kappa * size), exp(-power * log(L))
    return calc(
        chain(fixed, form(sigma**2 * Q.norm_of_the_score().lhs)),
        ("<=", form(kappa * size), Q.norm_of_the_score()),
        ("==", front * exp(8 * kappa * power * size) * length),
        ("<=", front * exp(size / 4) * length, show(8 * kappa * power * size, "<=", size / 4, kappa, size)),
    )


@cache
def averaged(part: Part) -> Theorem:
    """The error over prompt and query is at most our bound with the front in place of |V|^2."""
    of, error, front = part
    weight, length, four = exp(size / 4), exp(-power * log(L)), 4 * exp(Fraction(-1, 2))
    first, third = QUERY.mean(size * weight), QUERY.mean(size**3 * weight)
    inner = lambda A, B, C: (d + 1) * (A * (12 + 4 * h) ** 2 + B * log(L) ** 2) + C * (d + 3) ** 3 * kappa**2
    numbers, rounded = (25065 * four, c * four, c * four**3), (61000, 78, 460)
    moments = (
        show(first, "<=", four * (d + 1) * exp(h), weighted_moment(1)),
        show(third, "<=", (four * (d + 3)) ** 3 * exp(h), weighted_moment(3)),
    )
    larger = [show(number, "<=", more) for number, more in zip(numbers, rounded)]
    words = show(length, "==", L**-power), show(exp(h), "==", 2 ** (d / 2))
    at = show(W.expectation(error), "<=", front * size * W.expectation(of.squared), at_a_prompt(part))
    at = calc(instantiate(at, at_the_query), ("<=", front * size * at_a_query(of).rhs, at_a_query(of)))
    front = front * sigma**4
    return calc(
        QUERY.mean(at.lhs),
        ("<=", front * length * (_bracket(term(0)) * first + c * kappa**2 * third), at),
        ("<=", front * exp(h) * inner(*numbers) * length, *moments),
        ("<=", front * 2 ** (d / 2) * inner(*rounded) * L**-power, *larger, *words),
    )


@cache
def larger_form(high: int) -> tuple[Theorem, Theorem]:
    """What the bracket and the power of L are at most for L >= 2 and sigma >= 1."""
    A, B = 61000 * (d + 1) * (12 + 4 * h) ** 2, 460 * (d + 3) ** 3 * Q.norm_U**4
    return bracket(A, B, 78 * (d + 1), 2, 4, high), decay(32)


@cache
def in_the_form(part: Part, high: int = 12) -> Theorem:
    """The bound of `averaged` for L >= 2 and sigma >= 1, with sigma^high for high at least 8."""
    larger, slower = larger_form(high)
    split = part.front * 2 ** (d / 2) * larger.lhs * slower.lhs
    return chain(averaged(part), split, gcongr(split, larger, slower))


def _statement(part: Part, bound: Term, *given: Theorem) -> Statement:
    assumed = (W.sub_gaussian(), tilted.sub_gaussian_query(), Q.operator_norm(Q.U, Q.norm_U, d), *given)
    left = QUERY.mean(instantiated(W.expectation(part.error), at_the_query))
    return Statement(left, "<=", bound, hypotheses(*assumed))


def _in_the_form(part: Part, c: int | Fraction, power: int, *given: Theorem) -> Statement:
    """At most c c_1 sigma^power ln(L)^2 L^{-c_2/sigma^2} with the constants of `theory`."""
    symbols = U_, V2_, d_ = sp.symbols("U V2 d", positive=True)
    values = dict(zip(symbols, (Q.norm_U, part.front, d)))
    c_1, c_2 = (from_sympy(e, values) for e in paper_constants_U(U_, sp.sqrt(V2_), d_))
    bound = Fraction(c) * c_1 * sigma**power * log(L) ** 2 * L ** (-c_2 / sigma**2)
    return _statement(part, bound, *given, *long_prompts())


def statement(c: int | Fraction = 1) -> Statement:
    """P3.4 with our constants for every L, from the bound of `theory`."""
    symbols = sp.symbols("L sigma U V d", positive=True)
    values = dict(zip(symbols, (L, sigma, Q.norm_U, norm_V, d)))
    return _statement(
        whole, Fraction(c) * from_sympy(gradient_U_average(*symbols), values), Q.operator_norm(V, norm_V, m)
    )


def statement_in_the_form(c: int | Fraction = 1, power: int = 12) -> Statement:
    """P3.4 for L >= 2 and sigma >= 1."""
    return _in_the_form(whole, c, power, Q.operator_norm(V, norm_V, m))


def both_statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """P3.4 with our constants, and with sigma^8 in the form of the paper."""
    return statement(c), statement_in_the_form(c, 8)


def statement_of_a_term(part: Part, c: int | Fraction = 1, power: int = 12) -> Statement:
    """A term of the gradient for L >= 2 and sigma >= 1, with |v| in place of |V|."""
    return _in_the_form(part, c, power)


for _id, _term in {"BB:C.7.first": first_term, "BB:C.7.fin": second_term}.items():
    proves(_id, partial(statement_of_a_term, _term))(partial(in_the_form, _term))
proves("BB:P3.4.U", statement_in_the_form)(partial(in_the_form, whole))
proves("OURS:P3.4.U", both_statements, part=1)(partial(averaged, whole))
proves("OURS:P3.4.U", both_statements, part=2)(partial(in_the_form, whole, 8))
