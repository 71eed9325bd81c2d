"""Attention over Gaussian tokens Z = mu + R xi: their tilted law, linear attention, and linearity
in the parameters. The covariance S = R R' may have any rank.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import chain, exp, integrated
from numerics.derivations.rules import arithmetic, equal, limit, replace, specialise
from numerics.derivations.sorts import REALS, Range, Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Function, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.gaussian_tokens import (
    R,
    b,
    c,
    directional,
    dot,
    g,
    mean,
    mu,
    n,
    rank,
    tilt,
    tilted,
    token,
    weight_of_a_vector,
    xi,
)
from proofs_check.derivations.query_average import V, l
from proofs_check.derivations.softmax_average import a, d, eps, i, j, over, t, x
from proofs_check.derivations.tilted import part_

unit = Variable("unit", range=Range(Fraction(0), Fraction(1), False, False))
short = Variable("r", range=Range(Fraction(0), Fraction(1), True, False))
number = Variable("s", range=REALS)
U, W, X = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in "UWX")
v, query = Function("v", (Sort.INDEX,)), Function("q", (Sort.INDEX,))
#: The step t of a difference, which is less than 1.
step = eps / (1 + eps)


def product(f: Function, h: Function) -> Term:
    """The inner product of two vectors of the length of xi."""
    return over(n, rank, f(n) * h(n))


square = over(n, rank, b(n) ** 2)


@cache
def hyperbolic_cosine() -> tuple[Theorem, Theorem]:
    """E e^{t b.xi} + E e^{-t b.xi} = 2 e^{t^2|b|^2/2}, read from both sides."""
    value = exp(t**2 * square / 2)
    ends = [chain(specialise(weight_of_a_vector(), {b: ((n,), sign * t * b(n))}), value) for sign in (1, -1)]
    both = ends[0].lhs + ends[1].lhs
    sides = (both, 2 * value), (2 * value, both)
    first, second = (arithmetic(left, "==", right, *ends, hide=(value,)) for left, right in sides)
    return first, second


@cache
def second_moment_at_most() -> Theorem:
    """E(b.xi)^2 <= |b|^2, from 2 + x^2 <= e^x + e^{-x} at x = t b.xi, as t tends to 0."""
    X, B = dot(b, xi), square
    point = specialise(arithmetic(2 + x**2, "<=", exp(x) + exp(-x)), {x: t * X})
    average = integrated("normal", (g,), point, 2 + t**2 * mean(X**2), hyperbolic_cosine()[0].lhs)
    average = chain(average, hyperbolic_cosine()[0])
    slope = (average.lhs - 2) / t**2
    average = chain(mean(X**2), slope, replace(slope, average), (2 * exp(t**2 * B / 2) - 2) / t**2)
    T = step / (1 + part_)
    small = specialise(arithmetic(exp(unit), "<=", 1 + unit + unit**2), {unit: T**2 * part_ / 2})
    rest = chain(replace((2 * small.lhs - 2) / T**2, small))
    rest = chain(rest, arithmetic(rest.rhs, "<=", part_ + eps * part_))
    return limit(chain(specialise(average, {t: step / (1 + B)}), specialise(rest, {part_: B})), eps, B, B)


@cache
def slower_exponential() -> Theorem:
    """e^{s x} <= e^x + 1 for every s in [0, 1]."""
    top = Op("max", (x, term(0)))
    raised = replace(exp(unit * x), arithmetic(x, "<=", top))
    slower = specialise(arithmetic(exp(unit * part_), "<=", exp(part_)), {part_: top})
    return chain(raised, slower, arithmetic(exp(top), "<=", exp(x) + 1))


@cache
def second_moment_at_least() -> Theorem:
    """|b|^2 <= E(b.xi)^2, from e^x + e^{-x} <= 2 + x^2 + x^4 (e^x + e^{-x})."""
    X, B = dot(b, xi), square
    fourth = arithmetic(exp(x) + exp(-x), "<=", 2 + x**2 + x**4 * (exp(x) + exp(-x)))
    slower = [specialise(slower_exponential(), {x: sign * x}) for sign in (1, -1)]
    point = specialise(fourth, {x: unit * x})
    bound = 2 + unit**2 * x**2 + unit**4 * x**4 * (slower[0].lhs + slower[1].lhs)
    point = chain(point, bound, replace(bound, *slower))
    point = specialise(point, {x: X, unit: short})
    K = mean(X**4 * (exp(X) + exp(-X) + 2))
    cosine = specialise(hyperbolic_cosine()[1], {t: short})
    average = integrated("normal", (g,), point, cosine.rhs, 2 + short**2 * mean(X**2) + short**4 * K)
    line = specialise(arithmetic(1 + x, "<=", exp(x)), {x: short**2 * B / 2})
    whole = chain(2 * line.lhs, replace(2 * line.lhs, line), cosine, average)
    near = chain(B, (whole.lhs - 2) / short**2, replace((whole.lhs - 2) / short**2, whole), mean(X**2) + short**2 * K)
    near = specialise(near, {short: step})
    near = chain(near, replace(near.rhs, arithmetic(step**2, "<=", eps)))
    return limit(near, eps, mean(X**2), K)


def both_ways(most: Theorem) -> Theorem:
    """From X(c) <= Y(c) for every vector c, where both are linear in c, to X(c) = Y(c)."""
    least = specialise(most, {c: ((n,), -c(n))})
    least = chain(most.rhs - most.lhs, least.lhs - least.rhs, arithmetic(least.lhs - least.rhs, "<=", 0, least))
    return arithmetic(most.lhs, "==", most.rhs, most, least, hide=(most.lhs, most.rhs))


@cache
def covariance() -> Theorem:
    """E(b.xi)(c.xi) = b.c, from the second moments of (b + c).xi and (b - c).xi."""
    most = specialise(second_moment_at_most(), {b: ((n,), b(n) + c(n))})
    least = specialise(second_moment_at_least(), {b: ((n,), b(n) - c(n))})
    product = chain(mean(dot(b, xi) * dot(c, xi)), (most.lhs - least.rhs) / 4)
    return both_ways(chain(product, replace(product.rhs, most, least), over(n, rank, b(n) * c(n))))


#: The covariance R R' times the score, and what belongs to coordinate i: the output of softmax
#: attention, V E[Z Z'] a, which is the limit of linear attention, and V R R' a.
image = over(n, rank, R(j, n) * over(l, d, R(l, n) * a(l)))
softmax = over(j, d, V(i, j) * tilted)
linear = over(j, d, V(i, j) * mean(token * over(l, d, a(l) * instantiated(token, {j: l}))))
moved = over(j, d, V(i, j) * image)
#: The score and the row of V as vectors of the length of xi.
as_vectors = {b: ((n,), over(j, d, R(j, n) * a(j))), c: ((n,), over(j, d, V(i, j) * R(j, n)))}


def of_mean_0(e: Term) -> Term:
    """A term about Gaussian tokens for those of mean 0."""
    return instantiated(e, {mu: ((j,), term(0))})


@cache
def softmax_attention() -> Theorem:
    """T = V mu + V R R' a, in each coordinate."""
    first, one = specialise(both_ways(directional()), as_vectors), specialise(weight_of_a_vector(), as_vectors)
    start = over(j, d, V(i, j) * mu(j))
    same = equal(softmax, start + first.lhs / one.lhs)
    end = arithmetic(same.rhs, "==", start + first.rhs / one.rhs, first, one, hide=(start, first.lhs, first.rhs, one.lhs, one.rhs))
    return chain(same, end, start + moved)


@cache
def linear_attention() -> Theorem:
    """V E[Z Z'] a = V R R' a for centred tokens, in each coordinate."""
    return chain(of_mean_0(linear), specialise(covariance(), as_vectors), moved)


@cache
def same_limits() -> Theorem:
    """V E[Z Z'] a = T for centred tokens, in each coordinate."""
    soft = specialise(softmax_attention(), {mu: ((j,), term(0))})
    soft = chain(of_mean_0(softmax), soft, moved)
    return arithmetic(of_mean_0(linear), "==", of_mean_0(softmax), linear_attention(), soft, hide=(moved,))


#: The generating function of the law tilted by e^{a.Z} at the vector v.
generating = mean(exp(over(j, d, v(j) * token)) * tilt) / mean(tilt)


@cache
def tilted_law() -> Theorem:
    """E e^{v.Z} e^{a.Z}/E e^{a.Z} = e^{v.(mu + R R' a) + |R' v|^2/2}."""
    vector = lambda value: {b: ((n,), over(j, d, R(j, n) * value))}
    top, bottom = (specialise(weight_of_a_vector(), vector(value)) for value in (a(j) + v(j), a(j)))
    start = exp(over(j, d, v(j) * mu(j)))
    same = equal(generating, start * top.lhs / bottom.lhs)
    sides = (start, top.lhs, top.rhs, bottom.lhs, bottom.rhs)
    return chain(same, arithmetic(same.rhs, "==", start * top.rhs / bottom.rhs, top, bottom, hide=sides))


def _score(matrix: Term) -> dict[Function, tuple[tuple[Variable, ...], Term]]:
    """The score of the query for a matrix, whose entry (j, l) is given."""
    return {a: ((j,), over(l, d, matrix * query(l)))}


def _outputs() -> list[Term]:
    """Coordinate i of the output for U + sW, U and W."""
    return [instantiated(of_mean_0(softmax), _score(e)) for e in (U(j, l) + number * W(j, l), U(j, l), W(j, l))]


@cache
def linear_in_U() -> Theorem:
    """The output for U + sW is that for U and s times that for W."""
    soft = chain(of_mean_0(softmax), specialise(softmax_attention(), {mu: ((j,), term(0))}), moved)
    first, second, third = (specialise(soft, _score(e)) for e in (U(j, l) + number * W(j, l), U(j, l), W(j, l)))
    first = chain(first, second.rhs + number * third.rhs)
    sums = second.lhs + number * third.lhs
    hidden = (first.lhs, second.lhs, third.lhs, second.rhs, third.rhs)
    return arithmetic(first.lhs, "==", sums, first, second, third, hide=hidden)


def statements_in_the_parameters(factor: int = 1) -> tuple[Statement, Statement]:
    """The output for U + sW and for V + sX, where `factor` multiplies the second term."""
    first, second, third = _outputs()
    of = lambda A: instantiated(of_mean_0(softmax), {V: ((i, j), A)})
    return (
        Statement(first, "==", second + factor * number * third),
        Statement(of(V(i, j) + number * X(i, j)), "==", of(V(i, j)) + factor * number * of(X(i, j))),
    )


def statement_for_any_rank(half: Fraction = Fraction(1, 2)) -> Statement:
    """T = V mu + 2 half V R R' a for R of any rank, in each coordinate."""
    return statement_of_the_output(2 * half)


def statement_of_the_output(shift: int | Fraction = 1) -> Statement:
    """T = V mu + shift V R R' a, in each coordinate."""
    return Statement(softmax, "==", over(j, d, V(i, j) * mu(j)) + Fraction(shift) * moved)


def statements_of_the_law(shift: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The tilted law has the generating function of N(mu + shift R R' a, R R'), and the output is V
    times its mean.
    """
    centre = over(j, d, v(j) * (mu(j) + Fraction(shift) * image))
    spread = over(n, rank, over(j, d, R(j, n) * v(j)) ** 2)
    return Statement(generating, "==", exp(centre + spread / 2)), statement_of_the_output(shift)


def statement_of_both_limits(centred: bool = True, factor: int | Fraction = 1) -> Statement:
    """V E[Z Z'] a = factor T, for centred tokens."""
    sides = linear, Fraction(factor) * softmax
    left, right = map(of_mean_0, sides) if centred else sides
    return Statement(left, "==", right)
