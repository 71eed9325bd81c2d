"""Lemma D.1: the log-Laplace transform Psi of a sub-Gaussian law, phi = sigma^2 |a|^2/2 - Psi, and
the fourth moment of a query by its coordinates.

The gradient of Psi at a is the mean T of the tilted law, and h' Hess Psi h is the variance of h.Z
under it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import X_, Y_, cauchy_schwarz, chain, exp, integrated, log, root, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
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


@cache
def between() -> tuple[Theorem, Theorem]:
    """0 <= phi, the definition of sub-Gaussian, and phi <= sigma^2 |a|^2/2, as E w >= 1."""
    least = chain(0, gcongr(log(term(1)), weight_at_least_one()))
    size = exp(sigma**2 * square_of_a / 2)
    most = chain(m0, instantiate(sub_gaussian(), {v: ((j,), a(j))}), size)
    most = chain(gcongr(Psi, most), arithmetic(log(size), "==", sigma**2 * square_of_a / 2))
    zero = arithmetic(0, "<=", phi(), most, hide=(Psi,))
    return zero, arithmetic(phi(), "<=", sigma**2 * square_of_a / 2, least, hide=(Psi,))


@cache
def variance() -> Theorem:
    """(E w h.Z)^2 <= E w E w (h.Z)^2."""
    schwarz = cauchy_schwarz("mean", (k,), exp(score / 2), exp(score / 2) * along)
    first, second = mean(w * along), mean(w * along**2)
    schwarz = chain(first**2, schwarz, m0 * second)
    return schwarz


@cache
def tangent() -> Theorem:
    """Psi(a + h) >= Psi(a) + T.h, from e^x >= e^y (1 + x - y) at x = h.Z and y = T.h."""
    n = over(j, d, tilted * h(j))
    point = instantiate(arithmetic(1 + X_, "<=", exp(X_)), {X_: along - n})
    point = chain(gcongr(w * exp(n) * point.lhs, point), w * exp(along))
    shifted = mean(instantiated(w, moved))
    average = integrated("mean", (k,), point, m0 * exp(n), shifted)
    first = arithmetic(Psi + n, "==", log(m0 * exp(n)), hide=(n,))
    return chain(first, gcongr(log(m0 * exp(n)), average), instantiated(Psi, moved))


@cache
def theorems() -> tuple[Theorem, ...]:
    """Every line: (22) is the Taylor bound at h = -grad phi/sigma^2, where phi is not negative."""
    zero, most = between()
    own = statements()
    linear, step = over(j, d, slope * h(j)), sigma**2 * square_of_h
    second = mean(w * along**2) / m0
    split = step - second + variance().lhs / m0**2
    hessian = chain(own[2].lhs, gcongr(split, variance()), own[2].rhs)
    cross = over(j, d, a(j) * h(j))
    form = own[3].rhs
    parts = sigma**2 / 2 * square_of_a + sigma**2 * cross + step / 2
    taylor = chain(
        own[3].lhs, parts - instantiated(Psi, moved), gcongr(parts - tangent().rhs, tangent()), form
    )
    positive = instantiate(zero, {a: moved[a]})
    after = arithmetic(-linear - step / 2, "<=", phi(), chain(positive, taylor), hide=(phi(), linear, step))
    at = instantiate(after, {h: ((j,), -slope / sigma**2)})
    squares = chain(HALF * square_of_the_slope / sigma**2, at)
    both = chain(squares, most)
    size = chain(square_of_the_slope, gcongr(2 * sigma**2 * both.lhs, both), sigma**4 * square_of_a)
    length = root(size, sqrt(square_of_the_slope), sigma**2 * sqrt(square_of_a))
    return zero, most, hessian, taylor, after, squares, length, size_of_the_mean()


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


def fourth_moment(X: Term, at_2: Theorem, at_minus_2: Theorem) -> Theorem:
    """E X^4 <= 16 from E e^{2X} <= e^2 and E e^{-2X} <= e^2."""
    bound = Fraction(5, 8) * ((at_2.lhs + at_minus_2.lhs) / 2 - 1)
    average = integrated("query", (query,), instantiate(fourth_power(), {real: X}), None, bound)
    average = chain(average, gcongr(bound, at_2, at_minus_2))
    return chain(average, arithmetic(average.rhs, "<=", 16))


@cache
def on_the_line() -> tuple[Theorem, Theorem]:
    """The mean of x^4 <= (5/8)(cosh 2x - 1), from the definition at 2 and -2."""
    both = (instantiate(sub_gaussian_number(), {u: term(value)}) for value in (2, -2))
    return fourth_power(), fourth_moment(x(query), *both)


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


@cache
def of_the_norm() -> tuple[Theorem, Theorem]:
    """The pairs of coordinates, each of which is a 1-sub-Gaussian number."""
    pairs = arithmetic(X_**2 * Y_**2, "<=", (X_**4 + Y_**4) / 2)
    both = [instantiate(sub_gaussian_coordinates(), {u: term(value)}) for value in (2, -2)]
    each = integrated("coordinates", (j,), fourth_moment(y(j, query), *both), None, 16 * d, (d,))
    point = instantiate(pairs, {X_: y(j, query), Y_: y(l, query)})
    point = integrated("coordinates", (j,), point, heads=(d,))
    point = integrated("coordinates", (l,), point, QUERY.square**2, d * over(j, d, y(j, query) ** 4), (d,))
    average = integrated("query", (query,), point, None, d * each.lhs)
    return pairs, chain(average, gcongr(average.rhs, each))
