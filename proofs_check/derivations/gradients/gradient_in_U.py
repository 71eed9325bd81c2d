"""P3.4 for the gradient in U: the mean squared error over prompt and query, with our constants and
in the form of the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import chain, exp, integrated, log
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, replace, specialise
from numerics.derivations.sorts import Sort
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.terms import Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.form_of_the_paper import bracket, decay, long_prompts
from proofs_check.derivations.gradients.covariances import at_a_fixed_query, error, error_squared, of_the_law, of_the_prompt
from proofs_check.derivations.query_average import (
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
from proofs_check.derivations.softmax_average import d, expectation, i, j, k, m, over, prompt, sigma, sub_gaussian, z
from proofs_check.derivations.tilted import QUERY, h, query, sub_gaussian_query, weighted_moment, y
from theory.bounds.query_average import gradient_U_average
from theory.bounds.query_average_constants import paper_constants_U

n = Variable("n", Sort.INDEX)
#: |y|^2 for the query y, and the exponent theta = min(1, 1/(32 kappa)).
size = over(n, d, y(n, query) ** 2)
power = 1 / Op("max", (term(1), 32 * kappa))


def gradient(average: Callable[[Term], Term]) -> Term:
    """Entry (j, n) of the gradient in U of output i: the average of (v.z) z_j y_n, less the average
    of v.z times that of z_j y_n, for row v of V and the query y.
    """
    v = over(l, d, V(i, l) * z(l, k))
    slope = z(j, k) * y(n, query)
    return average(v * slope) - average(v) * average(slope)


#: The squared error of the gradient of all outputs, in the norm of Frobenius.
error_of_the_gradient = over(i, m, over(j, d, over(n, d, (gradient(of_the_prompt) - gradient(of_the_law)) ** 2)))


@cache
def at_a_prompt() -> Theorem:
    """The error of the gradient, V(C_L - C) times y', is at most |V|^2 |y|^2 |C_L - C|^2."""
    columns = specialise(operator_norm(V, norm_V, m), {b: ((l,), instantiated(error, {i: l}))})
    columns = integrated("coordinates", (j,), columns, None, norm_V**2 * error_squared, (d,))
    product = size * columns.lhs
    return chain(error_of_the_gradient, product, replace(product, columns))


@cache
def at_a_query() -> Theorem:
    """E|C_L - C|^2 <= sigma^4 (25065(12 + 4h)^2 + c ln(L)^2 + c kappa^2 |y|^4) e^{|y|^2/4}/L^theta
    at a query y with c = 32.128, where theta is so small that 8 a2 theta <= |y|^2/4.
    """
    fixed = specialise(specialise(at_a_fixed_query(), {theta: power}), at_the_query)
    shorter = replace(sigma**2 * norm_of_the_score().lhs, norm_of_the_score())
    form = lambda a: sigma**4 * _bracket(a) * exp(power * (8 * a - log(L)))
    fixed = chain(fixed, form(shorter.lhs), replace(form(shorter.lhs), shorter))
    split = sigma**4 * _bracket(kappa * size) * exp(8 * kappa * power * size) * exp(-power * log(L))
    light = specialise(arithmetic(8 * kappa * power * size_, "<=", size_ / 4), {size_: size})
    return chain(fixed, split, replace(split, light))


def _bracket(a: Term) -> Term:
    return 25065 * (12 + 4 * h) ** 2 + c * (log(L) ** 2 + a**2)


c = Fraction(4016, 125)


@cache
def theorem() -> Theorem:
    """P3.4 with our constants for every L: the bounds of `at_a_prompt` and `at_a_query`, and
    moments of the query with the weight e^{|y|^2/4}.
    """
    average = integrated("prompt", (prompt,), at_a_prompt(), None, norm_V**2 * size * expectation(error_squared))
    average = specialise(average, at_the_query)
    average = chain(average, replace(average.rhs, at_a_query()))
    weight, length = exp(size / 4), exp(-power * log(L))
    parts = [QUERY.mean(size * weight), QUERY.mean(size**3 * weight)]
    scale = norm_V**2 * sigma**4 * length
    bound = scale * ((25065 * (12 + 4 * h) ** 2 + c * log(L) ** 2) * parts[0] + c * kappa**2 * parts[1])
    average = integrated("query", (query,), average, None, bound)
    average = chain(average, replace(bound, *(chain(x, weighted_moment(q)) for x, q in zip(parts, (1, 3)))))
    four = 4 * exp(Fraction(-1, 2))
    numbers = [arithmetic(x, "<=", y) for x, y in ((25065 * four, 61000), (c * four, 78), (c * four**3, 460))]
    first, second, third = (x.lhs for x in numbers)
    inner = (d + 1) * (first * (12 + 4 * h) ** 2 + second * log(L) ** 2) + third * (d + 3) ** 3 * kappa**2
    average = chain(average, norm_V**2 * sigma**4 * exp(h) * inner * length)
    words = (arithmetic(length, "==", L**-power), arithmetic(exp(h), "==", 2 ** (d / 2)))
    return chain(average, replace(average.rhs, *numbers, *words))


@cache
def in_the_form(high: int = 12) -> Theorem:
    """P3.4 for L >= 2 and sigma >= 1, with sigma^high, where high is at least 8."""
    A, B = 61000 * (d + 1) * (12 + 4 * h) ** 2, 460 * (d + 3) ** 3 * norm_U**4
    larger, slower = bracket(A, B, 78 * (d + 1), 2, 4, high), decay(32)
    split = norm_V**2 * 2 ** (d / 2) * larger.lhs * slower.lhs
    return chain(theorem(), split, replace(split, larger, slower))


def statement(c: int | Fraction = 1) -> Statement:
    """P3.4 with our constants for every L, from the bound of `theory`."""
    symbols = sp.symbols("L sigma U V d", positive=True)
    values = dict(zip(symbols, (L, sigma, norm_U, norm_V, d)))
    given = (sub_gaussian(), sub_gaussian_query(), operator_norm(U, norm_U, d), operator_norm(V, norm_V, m))
    hypotheses = frozenset().union(*(x.assumptions for x in given))
    left = QUERY.mean(instantiated(expectation(error_of_the_gradient), at_the_query))
    return Statement(left, "<=", Fraction(c) * from_sympy(gradient_U_average(*symbols), values), hypotheses)


def statement_in_the_form(c: int | Fraction = 1, power: int = 12) -> Statement:
    """P3.4 for L >= 2 and sigma >= 1 with the constants of `theory`."""
    symbols = sp.symbols("U V d", positive=True)
    c_1, c_2 = (from_sympy(e, dict(zip(symbols, (norm_U, norm_V, d)))) for e in paper_constants_U(*symbols))
    bound = Fraction(c) * c_1 * sigma**power * log(L) ** 2 * L ** (-c_2 / sigma**2)
    of = statement()
    return Statement(of.lhs, "<=", bound, of.assumptions.union(*(x.assumptions for x in long_prompts())))


def both_statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """P3.4 with our constants, and with sigma^8 in the form of the paper."""
    return statement(c), statement_in_the_form(c, 8)
