"""Remark 3.2: attention with the query inside the prompt."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, exp, root
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.query_average import b, operator_norm
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, over, x
from proofs_check.derivations.softmax_average.softmax_average import y as y_
from proofs_check.derivations.softmax_gradients.layer import U, V, k, length, o, y, z

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


@proves("OURS:R4.self/split", split_statement)
@cache
def split() -> Theorem:
    """From the same for the numbers that the rows of V make of the vectors."""
    A, B, H = rows(numerator), rows(y(l)), rows(limit_)
    return calc(
        split_statement().lhs,
        ("==", (A + own * B) / (normaliser + own) - H),
        ("==", (1 - share) * (A / normaliser - H) + share * (B - H), A, B, H, own, normaliser),
    )


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


def printed(c: int | Fraction = 192) -> Term:
    """The exponent of (16)."""
    return Op("min", (term(Fraction(1, 3)), 1 / (Fraction(c) * sigma**2 * norm**2)))


def statement_of_the_exponent(c: int | Fraction = 192) -> Statement:
    """The form times the exponent is at most |xi|^2: no eigenvalue is beyond its inverse."""
    return Statement(form() * printed(c), "<=", square, hypotheses(*bounded()))


@proves("OURS:R4.self/nu", statement_for_more_spread)
@cache
def rate_for_more_spread() -> Theorem:
    rest, moved = through_Gamma(image), over(i, d, R(i, n) * image(i))
    young = instantiate(show(2 * x * y_, "<=", x**2 + y_**2), {x: xi(n), y_: moved})
    both = calc(
        2 * cross,
        ("==", over(n, d, 2 * xi(n) * moved)),
        ("<=", over(n, d, xi(n) ** 2 + moved**2), young),
        ("==", square + over(n, d, moved**2)),
        ("<=", square + rest, instantiate(more_spread(), {b: ((i,), image(i))})),
    )
    return calc(form(), ("==", 2 * cross - rest), ("<=", square, both, cross, rest, square))


@proves("BB:R3.2/exponent", statement_of_the_exponent)
@cache
def printed_exponent() -> Theorem:
    """The form is at most 2u|xi|^2."""
    less, positive, operator = bounded()
    size, rest = over(i, d, root_of_S(i) ** 2), through_Gamma(image)
    larger = instantiate(operator, {b: ((l,), root_of_S(l))})
    schwarz = calc(
        cauchy_schwarz("coordinates", (i,), root_of_S(i), image(i), (d,)),
        ("==", size * larger.lhs),
        ("<=", size * larger.rhs, larger),
        ("==", (norm * size) ** 2),
    )
    product = calc(
        root(schwarz, cross, norm * size), ("<=", norm * square, instantiate(less, {b: ((n,), xi(n))}))
    )
    some = instantiate(positive, {b: ((i,), image(i))})
    whole = calc(
        form(), ("==", 2 * cross - rest), ("<=", 2 * norm * square, product, some, cross, rest, square)
    )
    return calc(
        form() * printed(),
        ("<=", 2 * norm * square * printed(), whole),
        ("==", square * (2 * norm * printed())),
        ("<=", square * 1, show(2 * norm * printed(), "<=", 1)),
        ("==", square),
    )
