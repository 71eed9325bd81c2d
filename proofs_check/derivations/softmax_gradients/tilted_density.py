"""Appendix B.1: the density of a tilted Gaussian law is proportional to a Gaussian density."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.query_average import b, l
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, j, over

Vector = Callable[[Variable], Term]
Gamma, Lambda = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("Gamma", "Lambda"))
#: The mean of the tokens, two points, and any vector.
m, x, y, c = (Function(name, (Sort.INDEX,)) for name in "mxyc")


@cache
def inverse() -> tuple[Theorem, Theorem]:
    """The hypotheses that Lambda is the inverse of Gamma, c' Lambda Gamma b = c'b for all vectors b
    and c, and symmetric.
    """
    product = over(j, d, Lambda(i, j) * over(l, d, Gamma(j, l) * b(l)))
    sides = (over(i, d, c(i) * vector) for vector in (product, b(i)))
    first = assume("Lambda is the inverse of Gamma", next(sides), "==", next(sides), every=(b, c))
    return first, assume("Lambda is symmetric", Lambda(i, j), "==", Lambda(j, i), every=(i, j))


def shift(i: Variable) -> Term:
    """Coordinate i of Gamma a, by which the mean moves."""
    return over(l, d, Gamma(i, l) * a(l))


def less_the_mean(at: Function) -> Vector:
    return lambda i: at(i) - m(i)


def moved(at: Function) -> Vector:
    return lambda i: at(i) - m(i) - shift(i)


def form(u: Vector, v: Vector) -> Term:
    """u' Lambda v."""
    return over(i, d, over(j, d, u(i) * Lambda(i, j) * v(j)))


def score(at: Vector) -> Term:
    """The score a.x of a point, or of a vector."""
    return over(i, d, at(i) * a(i))


def tilted(at: Function) -> Term:
    """The exponent of e^{a.x} times the density of N(m, Gamma)."""
    u = less_the_mean(at)
    return score(at) - form(u, u) / 2


def gaussian(at: Function, half: Fraction = Fraction(1, 2)) -> Term:
    """The exponent of the density of N(m + Gamma a, Gamma)."""
    return -half * form(moved(at), moved(at))


def statement(half: Fraction = Fraction(1, 2)) -> Statement:
    """The densities are proportional, where half stands for that in the exponent of the latter."""
    left, right = exp(tilted(x)) * exp(gaussian(y, half)), exp(tilted(y)) * exp(gaussian(x, half))
    return Statement(left, "==", right, hypotheses(*inverse()))


@cache
def square(at: Function) -> Theorem:
    """The exponents differ by a number that does not depend on the point: with u = x - m,
    u' Lambda Gamma a = u'a, and so is (Gamma a)' Lambda u, as Lambda is symmetric.
    """
    u = less_the_mean(at)
    first, symmetric = inverse()
    right = show(form(u, shift), "==", score(u), instantiate(first, {b: ((i,), a(i)), c: ((i,), u(i))}))
    left = calc(
        form(shift, u),
        ("==", over(i, d, over(j, d, shift(i) * Lambda(j, i) * u(j))), symmetric),
        ("==", score(u), right),
    )
    parts = (form(u, u), form(u, shift), form(shift, u), form(shift, shift), score(u), score(m))
    expanded = -(parts[0] - parts[1] - parts[2] + parts[3]) / 2
    constant = parts[5] + parts[3] / 2
    return calc(
        tilted(at),
        ("==", parts[4] + parts[5] - parts[0] / 2),
        ("==", expanded + constant, right, left, *parts),
        ("==", gaussian(at) + constant),
    )


@proves("BB:B.1.a", statement)
@cache
def theorem() -> Theorem:
    """f(x) g(y) = f(y) g(x) for the tilted density f and the Gaussian density g, up to factors."""
    constant = score(m) + form(shift, shift) / 2
    hidden = (tilted(x), tilted(y), gaussian(x), gaussian(y), constant)
    left, right = exp(tilted(x)) * exp(gaussian(y)), exp(tilted(y)) * exp(gaussian(x))
    return show(left, "==", right, square(x), square(y), *hidden)
