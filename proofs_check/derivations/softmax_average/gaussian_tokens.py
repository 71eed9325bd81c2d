"""Lemma 2.1: the output of attention for Gaussian tokens Z = mu + R xi of any covariance R R'."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import arithmetic, equal, gaussian, gcongr, instantiate, limit
from numerics.derivations.kernel.sorts import NONNEGATIVE, Range, Sort, whole
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from proofs_check.derivations.softmax_average.query_average import V, l
from proofs_check.derivations.softmax_average.softmax_average import a, d, eps, i, j, m, over, t, x

n, g = Variable("n", Sort.INDEX), Variable("g", Sort.NORMAL)
rank = Variable("rank", range=whole(1))
mu, b, c = (Function(name, (Sort.INDEX,)) for name in ("mu", "b", "c"))
R = Function("R", (Sort.INDEX, Sort.INDEX))
unit = Variable("unit", range=Range(Fraction(0), Fraction(1), True, False))
small = Variable("small", range=Range(None, Fraction(1), True, False))
square_ = Variable("square", range=NONNEGATIVE)


def mean(body: Term) -> Term:
    """The mean over the Gaussian vector xi."""
    return bind("normal", (g,), body)


def dot(left: Function, right: Term) -> Term:
    """The sum over n of left_n right_n."""
    return over(n, rank, left(n) * right)


xi = GAUSSIAN(n, g)
weight = exp(dot(b, xi))
size = exp(over(n, rank, b(n) ** 2) / 2)
first = mean(xi * weight)


@cache
def weight_of_a_vector() -> Theorem:
    """E e^{b.xi} = e^{|b|^2/2}."""
    same = gaussian(g, n, rank, b(n), equal(term(0) + 1, 1))
    return chain(mean(weight), same, size)


@cache
def directional() -> Theorem:
    """E (c.xi) e^{b.xi} <= (b.c) e^{|b|^2/2} for all vectors b and c: the tangent of e^{t c.xi} at
    t = 0, as t tends to 0.
    """
    X, Y = over(n, rank, b(n) * c(n)), over(n, rank, c(n) ** 2) / 2
    tangent = instantiate(arithmetic(1 + x, "<=", exp(x)), {x: t * dot(c, xi)})
    point = chain(gcongr(weight * tangent.lhs, tangent), exp(dot(b, xi) + t * dot(c, xi)))
    moved = instantiate(weight_of_a_vector(), {b: ((n,), b(n) + t * c(n))})
    average = integrated("normal", (g,), point, mean(weight) + t * mean(dot(c, xi) * weight), moved.lhs)
    average = chain(average, moved, size * exp(t * X + t**2 * Y))
    slope = mean(dot(c, xi) * weight)
    bound = arithmetic(slope, "<=", size * ((exp(t * X + t**2 * Y) - 1) / t), average, weight_of_a_vector())
    at = instantiate(bound, {t: _step(X, Y)})
    small_step = instantiate(_slope_at_zero(), {x: X, square_: Y})
    near = chain(at, size * small_step.lhs, gcongr(size * small_step.lhs, small_step))
    near = instantiate(near, {unit: eps / (1 + eps)})
    near = chain(near, arithmetic(near.rhs, "<=", size * X + eps * (5 * size), hide=(size, X)))
    return chain(dot(c, first), limit(near, eps, size * X, 5 * size))


def _step(x: Term, y: Term) -> Term:
    """The step unit/(1 + x^2 + y) of a difference quotient."""
    return unit / (1 + x**2 + y)


@cache
def _slope_at_zero() -> Theorem:
    """(e^{s x + s^2 y} - 1)/s <= x + 5 unit at s = unit/(1 + x^2 + y) for 0 < unit <= 1 and y >= 0,
    from e^u <= 1 + u + u^2 for u <= 1.
    """
    s, y = _step(x, square_), square_
    above = arithmetic(exp(small), "<=", 1 + small + small**2)
    u = s * x + s**2 * y
    above = instantiate(above, {small: u})
    quotient = chain((exp(u) - 1) / s, gcongr((exp(u) - 1) / s, above))
    return chain(quotient, arithmetic(quotient.rhs, "<=", x + 5 * unit))


@cache
def mean_under_the_weight() -> Theorem:
    """sum_n (E xi_n e^{b.xi} - b_n e^{|b|^2/2})^2 <= 0, at c equal to the difference."""
    gap = first - size * b(n)
    at = instantiate(directional(), {c: ((n,), gap)})
    return arithmetic(over(n, rank, gap**2), "<=", 0, at, equal(over(n, rank, gap**2), at.lhs - at.rhs))


#: A token, its weight, and its tilted mean.
token = mu(j) + over(n, rank, R(j, n) * xi)
tilt = exp(over(j, d, a(j) * token))
tilted = mean(tilt * token) / mean(tilt)
at_the_score = {b: ((n,), over(j, d, R(j, n) * a(j)))}
plain, normaliser = instantiated(first, at_the_score), instantiated(mean(weight), at_the_score)
excess = plain / normaliser - over(j, d, R(j, n) * a(j))


@cache
def tilted_mean() -> Theorem:
    """sum_n e_n^2 <= 0 for the vector e with which the tilted mean is mu + R (R'a + e)."""
    moved, of_one = (
        instantiate(mean_under_the_weight(), at_the_score),
        instantiate(weight_of_a_vector(), at_the_score),
    )
    value = of_one.rhs
    target = over(j, d, R(j, n) * a(j))
    Q, P, B = (over(n, rank, body) for body in (plain**2, plain * target, target**2))
    zero = chain(Q - 2 * value * P + value**2 * B, moved)
    squares = equal(over(n, rank, excess**2), Q / normaliser**2 - 2 * P / normaliser + B)
    same = arithmetic(squares.rhs, "==", zero.lhs / value**2, of_one, hide=(Q, P, B, value))
    return chain(squares, same, gcongr(same.rhs, zero), 0)


def statement(half: int | Fraction = Fraction(1, 2)) -> Statement:
    """|T - V mu - 2 half V R R' a|^2 = 0 for the output T of attention at the score a.Z."""
    covariance = over(n, rank, R(j, n) * over(l, d, R(l, n) * a(l)))
    rows = over(j, d, V(i, j) * (tilted - mu(j) - 2 * Fraction(half) * covariance))
    return Statement(over(i, m, rows**2), "==", term(0))


@cache
def theorem() -> Theorem:
    """Lemma 2.1, from the Cauchy-Schwarz inequality for each row of V R and the vector e."""
    row = over(j, d, V(i, j) * R(j, n))
    each = cauchy_schwarz("coordinates", (n,), row, excess, (rank,))
    each = chain(each, gcongr(each.rhs, tilted_mean()), 0)
    rows = integrated("coordinates", (i,), each, statement().lhs, 0, (m,))
    return arithmetic(statement().lhs, "==", 0, rows)
