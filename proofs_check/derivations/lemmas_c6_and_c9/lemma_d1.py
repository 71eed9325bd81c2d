"""Lemma D.1: the log-Laplace transform Psi of a sub-Gaussian law, phi = sigma^2 |a|^2/2 - Psi, and
the fourth moment of a query by its coordinates.

The gradient of Psi at a is the mean T of the tilted law, and h' Hess Psi h is the variance of h.Z
under it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import X_, Y_, cauchy_schwarz, exp, log, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.moments import weight_at_least_one
from proofs_check.derivations.softmax_average.softmax_average import (
    a,
    d,
    j,
    k,
    m0,
    mean,
    over,
    score,
    sigma,
    sub_gaussian,
    v,
    w,
    z,
)
from proofs_check.derivations.softmax_average.tilted import QUERY, query, y
from proofs_check.derivations.softmax_average.tilted_mean import size_of_the_mean, size_statement, tilted
from theory.bounds.sub_gaussian import fourth_moment_d1

h = Function("h", (Sort.INDEX,))
#: h.Z, |a|^2 and |h|^2, Psi(a), phi(a) and the gradient of phi, with another number for the 1/2.
along = over(j, d, h(j) * z(j, k))
square_of_a, square_of_h = over(j, d, a(j) ** 2), over(j, d, h(j) ** 2)
Psi = log(m0)
moved = {a: ((j,), a(j) + h(j))}
HALF = Fraction(1, 2)


def phi(half: int | Fraction = HALF) -> Term:
    """sigma^2 |a|^2/2 - Psi(a)."""
    return Fraction(half) * sigma**2 * square_of_a - Psi


slope = sigma**2 * a(j) - tilted
square_of_the_slope = over(j, d, slope**2)


def statements(
    c: int | Fraction = 2, half: int | Fraction = HALF, curve: int | Fraction = 1
) -> tuple[Statement, ...]:
    """0 <= phi <= sigma^2 |a|^2/2, of which the second says that Psi >= 0, the Hessian, the Taylor
    bound, the line after it, (22), |grad phi| <= (c - 1) sigma^2 |a| and |grad Psi| <= c sigma^2
    |a|; `half` is the number in phi, in the first two, and in (22), and `curve` multiplies the
    Hessian.
    """
    given, half, curve = sub_gaussian().assumptions, Fraction(half), Fraction(curve)
    variance = mean(w * along**2) / m0 - (mean(w * along) / m0) ** 2
    linear = over(j, d, slope * h(j))
    step = sigma**2 * square_of_h
    return (
        Statement(term(0), "<=", phi(half), given),
        Statement(phi(half), "<=", sigma**2 * square_of_a / 2, given),
        Statement(step - variance, "<=", curve * step),
        Statement(instantiated(phi(), moved), "<=", phi() + linear + curve * step / 2, given),
        Statement(-linear - curve * step / 2, "<=", phi(), given),
        Statement(half * square_of_the_slope / sigma**2, "<=", phi(), given),
        Statement(sqrt(square_of_the_slope), "<=", (Fraction(c) - 1) * sigma**2 * sqrt(square_of_a), given),
        size_statement(c),
    )


@proves("BB:LD.1.phi", statements, part=(1, 2))
@cache
def between() -> tuple[Theorem, Theorem]:
    """0 <= phi, the definition of sub-Gaussian, and phi <= sigma^2 |a|^2/2, as E w >= 1."""
    most = exp(sigma**2 * square_of_a / 2)
    size = show(m0, "<=", most, instantiate(sub_gaussian(), {v: ((j,), a(j))}))
    upper = calc(Psi, ("<=", log(most), size), ("==", sigma**2 * square_of_a / 2))
    lower = calc(0, ("==", log(term(1))), ("<=", Psi, weight_at_least_one()))
    return show(0, "<=", phi(), upper), show(phi(), "<=", sigma**2 * square_of_a / 2, lower)


@proves("BB:LD.1.phi", statements, part=3)
@cache
def hessian() -> Theorem:
    """(E w h.Z)^2 <= E w E w (h.Z)^2."""
    goal, first, second = statements()[2], mean(w * along), mean(w * along**2)
    schwarz = cauchy_schwarz("mean", (k,), exp(score / 2), exp(score / 2) * along)
    return show(goal.lhs, "<=", goal.rhs, show(first**2, "<=", m0 * second, schwarz))


@cache
def tangent() -> Theorem:
    """Psi(a + h) >= Psi(a) + T.h, from e^x >= e^y (1 + x - y) at x = h.Z and y = T.h."""
    n = over(j, d, tilted * h(j))
    point = instantiate(arithmetic(1 + X_, "<=", exp(X_)), {X_: along - n})
    average = calc(
        m0 * exp(n),
        ("==", mean(w * exp(n) * (1 + (along - n)))),
        ("<=", mean(w * exp(n) * exp(along - n)), point),
    )
    return calc(Psi + n, ("==", log(m0 * exp(n)), n), ("<=", instantiated(Psi, moved), average))


@proves("BB:LD.1.phi", statements, part=4)
@cache
def taylor() -> Theorem:
    return show(statements()[3].lhs, "<=", statements()[3].rhs, tangent())


@proves("BB:LD.1.phi", statements, part=5)
@cache
def after_taylor() -> Theorem:
    """The Taylor bound, where phi(a + h) is not negative."""
    linear, step = over(j, d, slope * h(j)), sigma**2 * square_of_h
    positive = calc(instantiate(between()[0], {a: moved[a]}), ("<=", phi() + linear + step / 2, taylor()))
    return show(-linear - step / 2, "<=", phi(), positive, phi(), linear, step)


@proves("BB:LD.1.phi", statements, part=6)
@cache
def square_below_phi() -> Theorem:
    """(22), the line after the Taylor bound at h = -grad phi/sigma^2."""
    at = instantiate(after_taylor(), {h: ((j,), -slope / sigma**2)})
    return show(HALF * square_of_the_slope / sigma**2, "<=", phi(), at)


@proves("BB:LD.1.phi", statements, part=7)
@cache
def size_of_the_slope() -> Theorem:
    """|grad phi|^2 <= 2 sigma^2 phi <= sigma^4 |a|^2."""
    both = calc(square_below_phi(), ("<=", sigma**2 * square_of_a / 2, between()[1]))
    square = show(square_of_the_slope, "<=", sigma**4 * square_of_a, both)
    return show(sqrt(square_of_the_slope), "<=", sigma**2 * sqrt(square_of_a), square)


proves("BB:LD.1.phi", statements, part=8)(size_of_the_mean)


# -- The fourth moment by coordinates --------------------------------------------------------------

x = Function("x", (Sort.QUERY,), None)
u = Variable("u", range=REALS)
l = Variable("l", Sort.INDEX)
real = Variable("r", range=REALS)


def cosh(u: Term) -> Term:
    return (exp(u) + exp(-u)) / 2


@cache
def sub_gaussian_number() -> Theorem:
    """E e^{u x} <= e^{u^2/2} for every real u."""
    mean_of = bind("query", (query,), exp(u * x(query)))
    return assume("1-sub-Gaussian number", mean_of, "<=", exp(u**2 / 2), every=(u,))


def line_statements(c: int | Fraction = 2, k: Fraction = Fraction(5, 8)) -> tuple[Statement, Statement]:
    """r^4 <= k (cosh 2r - 1) for every real r, and E x^4 <= c^4."""
    return (
        Statement(real**4, "<=", Fraction(k) * (cosh(2 * real) - 1)),
        Statement(QUERY.mean(x(query) ** 4), "<=", term(Fraction(c) ** 4), sub_gaussian_number().assumptions),
    )


@cache
def fourth_power() -> Theorem:
    """r^4 <= (5/8)(cosh 2r - 1) for every real r."""
    return arithmetic(real**4, "<=", Fraction(5, 8) * (cosh(2 * real) - 1))


def fourth_moment(X: Term, definition: Theorem) -> Theorem:
    """E X^4 <= (5/8)(E cosh 2X - 1) <= 16 from E e^{uX} <= e^{u^2/2} at 2 and -2."""
    both = [instantiate(definition, {u: term(value)}) for value in (2, -2)]
    return calc(
        QUERY.mean(X**4),
        ("<=", Fraction(5, 8) * (QUERY.mean(cosh(2 * X)) - 1), instantiate(fourth_power(), {real: X})),
        ("<=", Fraction(5, 8) * (exp(term(2)) - 1), *both),
        ("<=", 16),
    )


@proves("BB:LD.1.4th/line", line_statements, part=(1, 2))
@cache
def on_the_line() -> tuple[Theorem, Theorem]:
    return fourth_power(), fourth_moment(x(query), sub_gaussian_number())


@cache
def sub_gaussian_coordinates() -> Theorem:
    """E e^{u y_j} <= e^{u^2/2} for every real u and every coordinate: the definition of a
    1-sub-Gaussian query at u times the j-th unit vector. It says nothing of other coordinates than
    the first d, which may be 0.
    """
    mean_of = bind("query", (query,), exp(u * y(j, query)))
    return assume("1-sub-Gaussian coordinates", mean_of, "<=", exp(u**2 / 2), every=(u, j))


def norm_statements(c: int | Fraction = 2, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """r^2 s^2 <= share (r^4 + s^4)/2 for real numbers, and E|z|^4 <= (c sqrt(d))^4."""
    d_ = sp.Symbol("d", positive=True)
    bound = from_sympy(fourth_moment_d1(d_, sp.Rational(c)) ** 4, {d_: d})
    return (
        Statement(X_**2 * Y_**2, "<=", Fraction(share) * (X_**4 + Y_**4) / 2),
        Statement(QUERY.mean(QUERY.square**2), "<=", bound, sub_gaussian_coordinates().assumptions),
    )


@proves("BB:LD.1.4th/every_d", norm_statements, part=(1, 2))
@cache
def of_the_norm() -> tuple[Theorem, Theorem]:
    """The pairs of coordinates, each of which is a 1-sub-Gaussian number."""
    pairs, (y_j, y_l) = arithmetic(X_**2 * Y_**2, "<=", (X_**4 + Y_**4) / 2), (y(j, query), y(l, query))
    twice = lambda e: QUERY.mean(over(l, d, over(j, d, e)))
    return pairs, calc(
        QUERY.mean(QUERY.square**2),
        ("==", twice(y_j**2 * y_l**2)),
        ("<=", twice((y_j**4 + y_l**4) / 2), instantiate(pairs, {X_: y_j, Y_: y_l})),
        ("==", d * over(j, d, QUERY.mean(y_j**4))),
        ("<=", d * over(j, d, 16), fourth_moment(y_j, sub_gaussian_coordinates())),
    )
