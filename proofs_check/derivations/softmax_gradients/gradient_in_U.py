"""P3.4 for the gradient in U: the mean squared error over prompt and query, with our constants and
in the form of the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple

import sympy as sp

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, log
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.form_of_the_paper import bracket, decay, long_prompts
from proofs_check.derivations.softmax_average.query_average import (
    U,
    V,
    at_the_query,
    b,
    kappa,
    l,
    norm_of_the_score,
    norm_U,
    norm_V,
    operator_norm,
    size_,
    theta,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    d,
    expectation,
    i,
    j,
    k,
    m,
    over,
    prompt,
    sigma,
    sub_gaussian,
    v,
    z,
)
from proofs_check.derivations.softmax_average.tilted import (
    QUERY,
    h,
    query,
    sub_gaussian_query,
    weighted_moment,
    y,
)
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
        columns = instantiate(
            operator_norm(V, norm_V, m), {b: ((l,), instantiated(COVARIANCE.error, {i: l}))}
        )
        known = integrated("coordinates", (j,), columns, None, norm_V**2 * COVARIANCE.squared, (d,))
    else:
        each = cauchy_schwarz("coordinates", (j,), part.of.error, v(j), (d,))
        known = integrated("coordinates", (i,), each, None, part.of.squared * norm, (d,))
    return chain(part.error, size * known.lhs, gcongr(size * known.lhs, known))


def _bracket(a: Term) -> Term:
    return 25065 * (12 + 4 * h) ** 2 + c * (log(L) ** 2 + a**2)


@cache
def at_a_query(of: Matrix) -> Theorem:
    """E|D|^2 <= sigma^4 (25065(12 + 4h)^2 + c ln(L)^2 + c kappa^2 |y|^4) e^{|y|^2/4}/L^theta for
    the error D of the matrix and c = 32.128 at a query y: theta is so small that 8 a2 theta is at
    most |y|^2/4.
    """
    fixed = instantiate(instantiate(at_a_fixed_query(of), {theta: power}), at_the_query)
    shorter = gcongr(sigma**2 * norm_of_the_score().lhs, norm_of_the_score())
    form = lambda a: sigma**4 * _bracket(a) * exp(power * (8 * a - log(L)))
    fixed = chain(fixed, form(shorter.lhs), gcongr(form(shorter.lhs), shorter))
    split = sigma**4 * _bracket(kappa * size) * exp(8 * kappa * power * size) * exp(-power * log(L))
    return chain(fixed, split, gcongr(split, light()))


@cache
def light() -> Theorem:
    """8 kappa theta |y|^2 <= |y|^2/4."""
    return instantiate(arithmetic(8 * kappa * power * size_, "<=", size_ / 4, hide=(kappa,)), {size_: size})


@cache
def numbers() -> tuple[Theorem, ...]:
    """The numbers with which the moments of the query leave our constants, and two words for one
    term.
    """
    four = 4 * exp(Fraction(-1, 2))
    constants = [
        arithmetic(x, "<=", y) for x, y in ((25065 * four, 61000), (c * four, 78), (c * four**3, 460))
    ]
    length = exp(-power * log(L))
    return (*constants, arithmetic(length, "==", L**-power), arithmetic(exp(h), "==", 2 ** (d / 2)))


@cache
def averaged(part: Part) -> Theorem:
    """The error over prompt and query is at most our bound with the front in place of |V|^2."""
    of, _, front = part
    average = integrated("prompt", (prompt,), at_a_prompt(part), None, front * size * expectation(of.squared))
    average = instantiate(average, at_the_query)
    average = chain(average, gcongr(average.rhs, at_a_query(of)))
    weight, length = exp(size / 4), exp(-power * log(L))
    means = [QUERY.mean(size * weight), QUERY.mean(size**3 * weight)]
    inner = (25065 * (12 + 4 * h) ** 2 + c * log(L) ** 2) * means[0] + c * kappa**2 * means[1]
    average = integrated("query", (query,), average, None, front * sigma**4 * length * inner)
    average = chain(
        average, gcongr(average.rhs, *(chain(x, weighted_moment(q)) for x, q in zip(means, (1, 3))))
    )
    first, second, third = (x.lhs for x in numbers()[:3])
    inner = (d + 1) * (first * (12 + 4 * h) ** 2 + second * log(L) ** 2) + third * (d + 3) ** 3 * kappa**2
    average = chain(average, front * sigma**4 * exp(h) * inner * length)
    return chain(average, gcongr(average.rhs, *numbers()))


@cache
def larger_form(high: int) -> tuple[Theorem, Theorem]:
    """What the bracket and the power of L are at most for L >= 2 and sigma >= 1."""
    A, B = 61000 * (d + 1) * (12 + 4 * h) ** 2, 460 * (d + 3) ** 3 * norm_U**4
    return bracket(A, B, 78 * (d + 1), 2, 4, high), decay(32)


@cache
def in_the_form(part: Part, high: int = 12) -> Theorem:
    """The bound of `averaged` for L >= 2 and sigma >= 1, with sigma^high for high at least 8."""
    larger, slower = larger_form(high)
    split = part.front * 2 ** (d / 2) * larger.lhs * slower.lhs
    return chain(averaged(part), split, gcongr(split, larger, slower))


def _statement(part: Part, bound: Term, *given: Theorem) -> Statement:
    assumed = (sub_gaussian(), sub_gaussian_query(), operator_norm(U, norm_U, d), *given)
    left = QUERY.mean(instantiated(expectation(part.error), at_the_query))
    return Statement(left, "<=", bound, hypotheses(*assumed))


def _in_the_form(part: Part, c: int | Fraction, power: int, *given: Theorem) -> Statement:
    """At most c c_1 sigma^power ln(L)^2 L^{-c_2/sigma^2} with the constants of `theory`."""
    symbols = U_, V2_, d_ = sp.symbols("U V2 d", positive=True)
    values = dict(zip(symbols, (norm_U, part.front, d)))
    c_1, c_2 = (from_sympy(e, values) for e in paper_constants_U(U_, sp.sqrt(V2_), d_))
    bound = Fraction(c) * c_1 * sigma**power * log(L) ** 2 * L ** (-c_2 / sigma**2)
    return _statement(part, bound, *given, *long_prompts())


def statement(c: int | Fraction = 1) -> Statement:
    """P3.4 with our constants for every L, from the bound of `theory`."""
    symbols = sp.symbols("L sigma U V d", positive=True)
    values = dict(zip(symbols, (L, sigma, norm_U, norm_V, d)))
    return _statement(
        whole, Fraction(c) * from_sympy(gradient_U_average(*symbols), values), operator_norm(V, norm_V, m)
    )


def statement_in_the_form(c: int | Fraction = 1, power: int = 12) -> Statement:
    """P3.4 for L >= 2 and sigma >= 1."""
    return _in_the_form(whole, c, power, operator_norm(V, norm_V, m))


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
