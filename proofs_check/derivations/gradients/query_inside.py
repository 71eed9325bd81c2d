"""Remark 3.2: attention with the query inside the prompt."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, root
from numerics.derivations.rules import arithmetic, assume, equal, replace, specialise
from numerics.derivations.sorts import POSITIVE, Range, Sort
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import Function, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.gradients.layer import U, V, k, length, o, y, z
from proofs_check.derivations.query_average import b, operator_norm
from proofs_check.derivations.softmax_average import d, i, j, over, x
from proofs_check.derivations.softmax_average import y as y_

n, l = Variable("n", Sort.INDEX), Variable("l", Sort.INDEX)
Gamma, R = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("Gamma", "R"))
xi = Function("v", (Sort.INDEX,))
sigma, norm = Variable("sigma", range=Range(Fraction(1), lo_open=False)), Variable("normU", range=POSITIVE)

# -- the two parts of the error ------------------------------------------------------

weight = exp(over(i, d, over(j, d, z(k, i) * U(i, j) * y(j))))
#: The weight of the query, the normaliser without it, and the limit Gamma U y of the output.
own, normaliser = exp(over(i, d, over(j, d, y(i) * U(i, j) * y(j)))), over(k, length, weight)
limit_ = over(i, d, Gamma(l, i) * over(j, d, U(i, j) * y(j)))
share = own / (own + normaliser)


def rows(body: Term) -> Term:
    """Coordinate o of V times a vector."""
    return over(l, d, V(o, l) * body)


numerator = over(k, length, weight * z(k, l))


def split_statement(factor: int | Fraction = 1) -> Statement:
    """The error with the query inside is (1 - p_0)(T_L - V h) + factor p_0 V(y - h)."""
    left = rows((numerator + own * y(l)) / (normaliser + own) - limit_)
    outside = (1 - share) * rows(numerator / normaliser - limit_)
    return Statement(left, "==", outside + Fraction(factor) * share * rows(y(l) - limit_))


@cache
def split() -> Theorem:
    """The statement, from the same for the numbers that the rows of V make of the vectors."""
    A, B, H = rows(numerator), rows(y(l)), rows(limit_)
    same = equal(split_statement().lhs, (A + own * B) / (normaliser + own) - H)
    apart = (1 - share) * (A / normaliser - H) + share * (B - H)
    return chain(same, arithmetic(same.rhs, "==", apart, hide=(A, B, H, own, normaliser)))


# -- the rate of the query's own weight ----------------------------------------------


def root_of_S(i: Variable) -> Term:
    """Coordinate i of z = R xi, for S = R R'."""
    return over(n, d, R(i, n) * xi(n))


def image(i: Variable) -> Term:
    """Coordinate i of U z."""
    return over(j, d, U(i, j) * root_of_S(j))


def through_Gamma(v: Callable[[Variable], Term]) -> Term:
    """v' Gamma v."""
    return over(i, d, over(l, d, v(i) * Gamma(i, l) * v(l)))


cross, square = over(i, d, root_of_S(i) * image(i)), over(n, d, xi(n) ** 2)


def form(factor: int | Fraction = 1) -> Term:
    """xi' R' (U + U' - factor U' Gamma U) R xi."""
    transposed = over(i, d, root_of_S(i) * over(j, d, U(j, i) * root_of_S(j)))
    return cross + transposed - Fraction(factor) * through_Gamma(image)


@cache
def more_spread() -> Theorem:
    """The hypothesis S <= Gamma: |R'b|^2 <= b' Gamma b for every b."""
    return assume(
        "S <= Gamma", over(n, d, over(i, d, R(i, n) * b(i)) ** 2), "<=", through_Gamma(b), every=(b,)
    )


@cache
def rate_for_more_spread() -> Theorem:
    """The form is at most |xi|^2 where S <= Gamma: 2 xi.R'Uz <= |xi|^2 + |R'Uz|^2."""
    young = arithmetic(2 * x * y_, "<=", x**2 + y_**2)
    each = specialise(young, {x: xi(n), y_: over(i, d, R(i, n) * image(i))})
    spread = specialise(more_spread(), {b: ((i,), image(i))})
    both = integrated("coordinates", (n,), each, 2 * cross, square + spread.lhs, (d,))
    both = chain(both, replace(both.rhs, spread), square + through_Gamma(image))
    rest = through_Gamma(image)
    return chain(form(), arithmetic(2 * cross - rest, "<=", square, both, hide=(cross, rest, square)))


def statement_for_more_spread(factor: int | Fraction = 1) -> Statement:
    """The form with factor U' Gamma U is at most |xi|^2, so that nu <= 1."""
    return Statement(form(factor), "<=", square, more_spread().assumptions)


@cache
def bounded() -> tuple[Theorem, ...]:
    """The hypotheses S <= I, Gamma >= 0 and |U b| <= u |b|."""
    less = assume(
        "S <= I", over(i, d, over(n, d, R(i, n) * b(n)) ** 2), "<=", over(n, d, b(n) ** 2), every=(b,)
    )
    return less, assume("Gamma >= 0", 0, "<=", through_Gamma(b), every=(b,)), operator_norm(U, norm, d)


@cache
def printed_exponent() -> Theorem:
    """The form times the exponent of (16) is at most |xi|^2: the form is at most 2u|xi|^2."""
    less, positive, operator = bounded()
    size = over(i, d, root_of_S(i) ** 2)
    schwarz = cauchy_schwarz("coordinates", (i,), root_of_S(i), image(i), (d,))
    larger = specialise(operator, {b: ((l,), root_of_S(l))})
    schwarz = chain(schwarz, size * larger.lhs)
    schwarz = chain(schwarz, replace(schwarz.rhs, larger), (norm * size) ** 2)
    product = root(schwarz, cross, norm * size)
    product = chain(product, replace(product.rhs, specialise(less, {b: ((n,), xi(n))})))
    positive = specialise(positive, {b: ((i,), image(i))})
    rest = through_Gamma(image)
    whole = arithmetic(
        2 * cross - rest, "<=", 2 * norm * square, product, positive, hide=(cross, rest, square)
    )
    whole = chain(form(), whole)
    exponent = printed()
    small = arithmetic(2 * norm * exponent, "<=", 1)
    scaled = chain(replace(whole.lhs * exponent, whole), square * small.lhs)
    return chain(scaled, replace(scaled.rhs, small))


def printed(c: int | Fraction = 192) -> Term:
    """The exponent of (16)."""
    return Op("min", (term(Fraction(1, 3)), 1 / (Fraction(c) * sigma**2 * norm**2)))


def statement_of_the_exponent(c: int | Fraction = 192) -> Statement:
    """The form times the exponent is at most |xi|^2: no eigenvalue is beyond its inverse."""
    return Statement(form() * printed(c), "<=", square, hypotheses(*bounded()))
