"""The gradients of attention for an infinite prompt: that in U by differentiation under the mean,
and those in K, Q and V for U = K'Q.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.sorts import REALS, Range, Sort
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import by_normal_form, proves
from proofs_check.derivations.softmax_average import softmax_average as S
from proofs_check.derivations.softmax_average.moments import weight_at_least_one
from proofs_check.derivations.softmax_average.query_average import U, l
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, k, mean, over, w, x, z
from proofs_check.derivations.softmax_average.tilted import part_
from proofs_check.derivations.softmax_gradients import layer
from proofs_check.derivations.softmax_gradients.averages import LAW
from proofs_check.derivations.softmax_gradients.gaussian_layer import number
from proofs_check.derivations.softmax_gradients.layer import Entry, K, Q, V, m, n, o, rows
from proofs_check.derivations.softmax_gradients.tilted_powers import row

c, query = (Function(name, (Sort.INDEX,)) for name in "cq")
W, X = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in "WX")
s = Variable("s", range=Range(Fraction(0), Fraction(1), True, False))
unit = Variable("unit", range=Range(Fraction(0), Fraction(1), False, False))
T_, G_ = (Variable(name, range=REALS) for name in ("T_", "G_"))
#: The change of the score of a token in the direction c, and the value v.Z of the token.
change = over(j, d, c(j) * z(j, k))
#: The output, and its derivative, the covariance of v.Z and the change under the tilted law.
output, slope = LAW(row), LAW(row * change) - LAW(row) * LAW(change)
moved = mean(w * exp(s * change) * row) / mean(w * exp(s * change))


@cache
def slower_exponential() -> Theorem:
    """e^{s x} <= e^x + 1 for every s in [0, 1]."""
    top = Op("max", (x, term(0)))
    slower = instantiate(show(exp(unit * part_), "<=", exp(part_)), {part_: top})
    return calc(
        exp(unit * x),
        ("<=", exp(unit * top), show(x, "<=", top)),
        ("<=", exp(top), slower),
        ("<=", exp(x) + 1),
    )


@cache
def pointwise() -> Theorem:
    """e^{s x} h <= (1 + s x) h + s^2 x^2 (e^x + 2)(1 + h^2) for s in (0, 1], because e^v - 1 - v is
    at least 0 and at most v^2 (e^v + 1).
    """
    v, h, e = s * x, S.y, exp(s * x)
    return calc(
        e * h,
        ("<=", (1 + v) * h + (e + (-1 - v)) * (1 + h**2), show(1 + v, "<=", e, v), e, v),
        ("<=", (1 + v) * h + v**2 * (e + 1) * (1 + h**2), show(e, "<=", 1 + v + v**2 * (e + 1), v)),
        ("<=", (1 + v) * h + v**2 * (exp(x) + 2) * (1 + h**2), instantiate(slower_exponential(), {unit: s})),
    )


#: The output at the score a + s c differs by s times its derivative, up to s^2 times this.
remainder = mean(w * change**2 * (exp(change) + 2) * (1 + 3 * row**2 + 3 * T_**2 + 3 * G_**2))
constant = instantiated(remainder, {T_: output, G_: slope}) + slope**2 + mean(w * change) ** 2


@cache
def theorem() -> Theorem:
    """T(a + s c) - T(a) - s G <= s^2 K for every row v, with the derivative G and a number K that
    does not depend on s: the difference times the normaliser, which is at least 1, is the mean of
    w e^{s u} (v.Z - T - s G).
    """
    h = row - T_ - s * G_
    point, square = (
        instantiate(pointwise(), {x: change, S.y: h}),
        3 * row**2 + 3 * T_**2 + 3 * G_**2,
    )
    rest = s**2 * change**2 * (exp(change) + 2)
    weighted = calc(
        w * exp(s * change) * h,
        ("<=", w * ((1 + s * change) * h + rest * (1 + h**2)), point),
        ("<=", w * ((1 + s * change) * h + rest * (1 + square)), show(h**2, "<=", square)),
    )
    average = show(
        mean(w * exp(s * change) * h), "<=", mean(w * (1 + s * change) * h) + s**2 * remainder, weighted
    )
    normaliser, bound, gap = mean(w * exp(s * change)), Defined("K", constant), moved - output - s * slope
    G, E, R = slope, mean(w * change), instantiated(remainder, {T_: output, G_: slope})
    product = calc(
        chain(gap * normaliser, instantiate(average, {T_: output, G_: slope})),
        ("==", s**2 * (-G * E + R)),
        ("<=", s**2 * bound, show(-G * E + R, "<=", G**2 + E**2 + R, G, E, R)),
    )
    one = show(
        1,
        "<=",
        normaliser,
        instantiate(weight_at_least_one(), {S.a: ((j,), S.a(j) + s * c(j))}),
    )
    return calc(
        gap,
        ("==", gap * normaliser / normaliser),
        ("<=", s**2 * bound / normaliser, product),
        ("<=", s**2 * bound, one, normaliser),
    )


#: The scores of a query for U, and in the direction W.
scores = {
    S.a: ((j,), over(l, d, U(j, l) * query(l))),
    c: ((j,), over(l, d, W(j, l) * query(l))),
}


def statement(factor: int | Fraction = 1) -> Statement:
    """T(U + sW) - T(U) <= factor s <G, W> + s^2 K for every row v, all matrices U and W and s in
    (0, 1], where G is the covariance of v.Z and Z q' under the tilted law.
    """
    weight = exp(over(j, d, over(l, d, (U(j, l) + s * W(j, l)) * query(l)) * z(j, k)))
    average = lambda body: instantiated(LAW(body), scores)
    entry = average(row * z(i, k) * query(l)) - average(row) * average(z(i, k) * query(l))
    slope = over(i, d, over(l, d, entry * W(i, l)))
    left = mean(weight * row) / mean(weight) - average(row)
    right = Fraction(factor) * s * slope + s**2 * instantiated(constant, scores)
    return Statement(left, "<=", right, S.sub_gaussian().assumptions)


@proves("BB:P3.4.U/limit", statement)
@cache
def gradient() -> Theorem:
    """The statement, from the same in the direction c = W q."""
    parts = [instantiated(e, scores) for e in (moved, output, slope)]
    at = instantiate(theorem(), scores)
    first = show(parts[0] - parts[1], "<=", s * parts[2] + at.rhs, at, *parts, at.rhs)
    return chain(statement().lhs, first, statement().rhs)


# -- the gradients in K, Q and V -----------------------------------------------------------------


def product(A: Function, B: Function) -> Term:
    """Entry (j, l) of A'B."""
    return over(n, rows, A(n, j) * B(n, l))


def at_the_score(body: Term, matrix: Term) -> Term:
    """A term at the score of the query for a matrix, whose entry (j, l) is given."""
    return instantiated(body, {S.a: ((j,), over(l, d, matrix * query(l)))})


def of_a_factor(moved: Term, direction: Term, entry: Entry) -> Statement:
    """T(moved) - T(K'Q) <= s sum of entry_ri X_ri + s^2 K for every row v, all matrices K, Q and X
    and s in (0, 1], where K'Q moves in the direction that is given.
    """
    slope = over(n, rows, over(i, d, entry(n, i) * X(n, i)))
    ends = {
        S.a: ((j,), over(l, d, product(K, Q) * query(l))),
        c: ((j,), over(l, d, direction * query(l))),
    }
    left = at_the_score(output, moved) - at_the_score(output, product(K, Q))
    return Statement(
        left,
        "<=",
        s * slope + s**2 * instantiated(constant, ends),
        S.sub_gaussian().assumptions,
    )


def covariance(first: Variable, second: Variable) -> Term:
    """Entry (first, second) of the gradient in U at U = K'Q."""
    change = z(first, k) * query(second)
    return at_the_score(LAW(row * change) - LAW(row) * LAW(change), product(K, Q))


def in_the_keys(transposed: bool = True) -> Statement:
    """The gradient in K is Q times the transposed gradient in U."""
    moved = over(n, rows, (K(n, j) + s * X(n, j)) * Q(n, l))
    entry = lambda r, i: over(m, d, Q(r, m) * (covariance(i, m) if transposed else covariance(m, i)))
    return of_a_factor(moved, product(X, Q), entry)


def in_the_queries(transposed: bool = False) -> Statement:
    """The gradient in Q is K times the gradient in U."""
    moved = over(n, rows, K(n, j) * (Q(n, l) + s * X(n, l)))
    entry = lambda r, i: over(m, d, K(r, m) * (covariance(i, m) if transposed else covariance(m, i)))
    return of_a_factor(moved, product(K, X), entry)


def in_the_values(factor: int = 1) -> Statement:
    """T(V + sX) = T(V) + s times the sum of m_j X_oj, in coordinate o, for the tilted mean m: the
    gradient in row o of V for the score z'K'Qq is m, as for a matrix U.
    """
    of = lambda A: at_the_score(LAW(over(j, d, A * z(j, k))), product(K, Q))
    slope = over(j, d, at_the_score(LAW(z(j, k)), product(K, Q)) * X(o, j))
    return Statement(of(V(o, j) + number * X(o, j)), "==", of(V(o, j)) + factor * number * slope)


def for_both_prompts(*statements: Callable[..., Statement]) -> Callable[..., tuple[Statement, ...]]:
    """The statements for a finite and for an infinite prompt, with the same numbers."""
    return lambda **numbers: tuple(statement(**numbers) for statement in statements)


KEYS = for_both_prompts(layer.in_the_keys, in_the_keys)
QUERIES = for_both_prompts(layer.in_the_queries, in_the_queries)
VALUES = for_both_prompts(layer.in_the_values, in_the_values)

proves("BB:KQ.1", KEYS, part=1)(by_normal_form(layer.in_the_keys))
proves("BB:KQ.2", QUERIES, part=1)(by_normal_form(layer.in_the_queries))
proves("BB:KQ.3", VALUES, part=1)(by_normal_form(layer.in_the_values))
proves("BB:KQ.3", VALUES, part=2)(by_normal_form(in_the_values))


@proves("BB:KQ.1", KEYS, part=2)
@cache
def gradient_in_the_keys() -> Theorem:
    """The gradient in U along X'Q."""
    return instantiate(gradient(), {U: ((j, l), product(K, Q)), W: ((j, l), product(X, Q))})


@proves("BB:KQ.2", QUERIES, part=2)
@cache
def gradient_in_the_queries() -> Theorem:
    """The gradient in U along K'X."""
    return instantiate(gradient(), {U: ((j, l), product(K, Q)), W: ((j, l), product(K, X))})
