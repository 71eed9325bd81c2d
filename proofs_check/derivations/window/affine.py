"""Affine and ReLU tasks of Collins et al.: Lemmas C.3 and C.9, and our R8 on ReLU tasks.

The slopes l_1, l_2 and the offset b are independent and uniform on [-L, L], the direction u is
uniform on the sphere; a value of a task at a point depends on u.x only.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, equal, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import (
    Lip,
    X,
    a,
    average,
    b,
    c,
    d,
    e,
    i,
    j,
    k,
    l,
    mean,
    o,
    over,
    q,
    s,
    t,
    x,
)
from proofs_check.derivations.window.signal import direction, isotropic, p, r, uniform_direction, v

Value = Callable[[Term], Term]
l_1, l_2, offset = (Function(name, (Sort.QUERY,), None) for name in ("l1", "l2", "b_"))
Q = Function("Q", (Sort.INDEX, Sort.INDEX))
G, H = Function("G", (Sort.TOKEN,), Fraction(2)), Function("H", (Sort.TOKEN,), Fraction(2))
#: u.x_i for a token and u.x for the query.
at_token, at_query = over(direction(j, k) * X(i, j, o)), over(direction(j, k) * x(j, o))


def task_mean(body: Term) -> Term:
    """The mean over l_1, l_2 and b."""
    return bind("query", (q,), body)


def plus(z: Term) -> Term:
    """The positive part of a number."""
    return Op("ind", (z,)) * z


def minus(z: Term) -> Term:
    """The negative part of a number."""
    return Op("above", (-z,)) * -z


def modulus(z: Term) -> Term:
    return plus(z) + minus(z)


def affine(z: Term) -> Term:
    return l_1(q) * z + offset(q)


def relu(z: Term) -> Term:
    return l_1(q) * plus(z) + l_2(q) * minus(z) + offset(q)


def error(value: Value) -> Term:
    """The average of a value at the tokens minus that at the query."""
    return average(value(at_token)) - value(at_query)


def loss(value: Value) -> Term:
    """The signal term of tasks with these values, given u, the tokens and the query."""
    return task_mean(error(value) ** 2)


def over_directions(body: Term) -> Term:
    """The mean over the direction, and over the tokens and the query."""
    return mean(mean(body, k))


def in_the_mean(thm: Theorem) -> Theorem:
    return integrate("mean", (o,), integrate("mean", (k,), thm))


@cache
def uniform() -> Theorem:
    """E (a l_1 + b l_2 + c b)^2 = L^2 (a^2 + b^2 + c^2)/3 for all numbers a, b and c."""
    square = task_mean((a * l_1(q) + b * l_2(q) + c * offset(q)) ** 2)
    right = Lip**2 / 3 * (a**2 + b**2 + c**2)
    return assume("l_1, l_2, b independent and uniform on [-L, L]", square, "==", right, every=(a, b, c))


@cache
def of_affine() -> Theorem:
    """E (affine error)^2 = L^2 (error of u.x)^2/3 over l_1 and b, as the weights add up to 1."""
    A = error(lambda z: z)
    return calc(loss(affine), ("==", Lip**2 / 3 * A**2, _at(A, 0)))


def _at(A: Term, B: Term | int, C: Term | int = 0) -> Theorem:
    """The hypothesis on the uniform variables at these numbers."""
    return instantiate(uniform(), {a: A, b: B, c: C})


@cache
def pointwise() -> Theorem:
    """E (ReLU error)^2 = E (affine error)^2/2 + L^2 (error of |u.x|)^2/6 over l_1, l_2 and b."""
    up, down, A, M = error(plus), error(minus), error(lambda z: z), error(modulus)
    return calc(
        loss(relu),
        ("==", Lip**2 / 3 * (up**2 + down**2), _at(up, down)),
        ("==", Lip**2 / 6 * (A**2 + M**2)),
        ("==", loss(affine) / 2 + Lip**2 / 6 * M**2, of_affine(), loss(affine), A, M),
    )


@cache
def mean_of_a_sum() -> Theorem:
    """E (F^2 + G^2) = E F^2 + E G^2 for any two functions."""
    first, second = (Function(name, (Sort.TOKEN,)) for name in ("F", "G"))
    return equal(mean(first(o) ** 2 + second(o) ** 2), mean(first(o) ** 2) + mean(second(o) ** 2))


def apart(A: Term, B: Term, of: Variable) -> Theorem:
    """E (A + B) = E A + E B for terms A, B >= 0."""
    first, second = (Function(name, (Sort.TOKEN,)) for name in ("F", "G"))
    split = instantiate(mean_of_a_sum(), {first: ((of,), sqrt(A)), second: ((of,), sqrt(B))})
    return chain(mean(A + B, of), split, mean(A, of) + mean(B, of))


def relu_statement(half: int | Fraction = Fraction(1, 2)) -> Statement:
    """E (ReLU error)^2 = half E (affine error)^2 + L^2 E (error of |u.x|)^2/6."""
    right = Fraction(half) * over_directions(loss(affine)) + Lip**2 / 6 * over_directions(error(modulus) ** 2)
    return Statement(over_directions(loss(relu)), "==", right, uniform().assumptions)


@proves("OURS:R8.relu", relu_statement)
@cache
def relu_beside_affine() -> Theorem:
    """R8: the ReLU loss is half the affine one and L^2/6 times that of the modulus."""
    A, B = loss(affine) / 2, Lip**2 / 6 * error(modulus) ** 2
    inner = chain(integrate("mean", (k,), pointwise()), apart(A, B, k))
    return chain(integrate("mean", (o,), inner), apart(mean(A, k), mean(B, k), o))


def half_statement(half: int | Fraction = Fraction(1, 2)) -> Statement:
    """The affine loss times `half` is at most the ReLU loss."""
    return Statement(
        Fraction(half) * over_directions(loss(affine)),
        "<=",
        over_directions(loss(relu)),
        uniform().assumptions,
    )


@proves("COL:C.9", half_statement)
@cache
def relu_loses_half() -> Theorem:
    """Lemma C.9: the affine loss over 2 is at most the ReLU loss."""
    return in_the_mean(show(loss(affine) / 2, "<=", loss(relu), pointwise(), loss(affine), loss(relu)))


def companion(z: Term) -> Term:
    """The affine task that agrees with the ReLU task on the side of the query."""
    return (l_1(q) * Op("ind", (at_query,)) - l_2(q) * Op("above", (-at_query,))) * z + offset(q)


def across(value: Value) -> Term:
    """The mean square over l_1, l_2, b of the average over the tokens on the other side of the
    hyperplane than the query.
    """
    other = Op("ind", (at_query,)) * Op("above", (-at_token,)) + Op("above", (-at_query,)) * Op(
        "ind", (at_token,)
    )
    return task_mean(average(other * value(at_token)) ** 2)


def side_statements(other: int | Fraction = 1, whole: int = 1) -> tuple[Statement, Statement]:
    """For every function G of the slope, given u and b, E G is that of an affine task, times
    `whole`; and both mean squares on the other side are equal, times `other`.
    """
    here, there = Op("ind", (e,)), Op("above", (-e,))
    slope = mean(mean(here * G(k) + there * H(o), k))
    right = Fraction(other) * over_directions(across(companion))
    return (
        Statement(slope, "==", whole * mean(G(k), k), symmetric_slope().assumptions),
        Statement(over_directions(across(relu)), "==", right, uniform().assumptions),
    )


@proves("COL:C.9s", side_statements, part=2)
@cache
def on_the_other_side() -> Theorem:
    """The task has on the other side one slope where its companion has the other one."""
    here, there = Op("ind", (at_query,)), Op("above", (-at_query,))
    sums = lambda side: (average(side * at_token), average(side))
    (P, one), (N, two) = sums(Op("ind", (at_token,))), sums(Op("above", (-at_token,)))
    constant = here * two + there * one
    task, other = _at(there * P, -here * N, constant), _at(here * N, -there * P, constant)
    back = show(task.rhs, "==", other.lhs, other)
    return in_the_mean(chain(across(relu), task, back, across(companion)))


@cache
def symmetric_slope() -> Theorem:
    """The slopes l and -l have one law: E G(l) = E G(-l), where H(l) stands for G(-l)."""
    return assume("l and -l have one law: E G(-l) = E G(l)", mean(H(k), k), "==", mean(G(k), k))


@proves("COL:C.9s", side_statements, part=1)
@cache
def law_of_the_companion() -> Theorem:
    """The slope of the companion, l_1 or -l_2 by the side u.x of the query, has the law of l."""
    here, there = Op("ind", (e,)), Op("above", (-e,))
    return calc(
        mean(mean(here * G(k) + there * H(o), k)),
        ("==", here * mean(G(k), k) + there * mean(H(k), k)),
        ("==", mean(G(k), k), symmetric_slope()),
    )


#: The values at two fixed points, their inner product, that of u and Qx, and of Q'u and x.
at_p, at_r = over(direction(j, k) * p(j)), over(direction(j, k) * r(j))
product = over(p(j) * r(j))
at_image = over(direction(j, k) * over(Q(j, l) * p(l), l))
turned = over(over(Q(l, j) * direction(l, k), l) * p(j))


def correlation_statements(
    constant: int = 3, slope: int = 3, rising: int = 1, stretch: int = 1
) -> tuple[Statement, ...]:
    """E f(x)f(y) = L^2/constant + L^2 x.y/(slope d), which increases with x.y; and tasks composed
    with an isometry Q have the direction Q'u of the length of u, times `stretch`.
    """
    at = lambda value: Lip**2 / constant + Lip**2 / slope * value / d
    mean_of = mean(task_mean(affine(at_p) * affine(at_r)), k)
    of_u = length_of_the_image(lambda at: direction(at, k))
    return (
        Statement(mean_of, "==", at(product), hypotheses(uniform(), *uniform_direction())),
        Statement(at(rising * t), "<", at(rising * (t + s))),
        Statement(affine(at_image), "==", affine(stretch * turned)),
        Statement(of_u, "==", stretch**2 * over(direction(j, k) ** 2), orthogonal().assumptions),
    )


@proves("COL:C.3", correlation_statements, part=1)
@cache
def correlation() -> Theorem:
    """E f(x)f(y) = L^2/3 + L^2 x.y/(3d), from the squares of the sum and of the difference."""
    up, down = _at(at_p + at_r, 0, 2), _at(at_p - at_r, 0)
    inner = calc(
        task_mean(affine(at_p) * affine(at_r)),
        ("==", (up.lhs - down.lhs) / 4),
        ("==", Lip**2 / 3 * (1 + at_p * at_r), up, down),
    )
    plus_, minus_ = (instantiate(isotropic(), {v: ((j,), p(j) + sign * r(j))}) for sign in (1, -1))
    return calc(
        mean(inner.lhs, k),
        ("==", mean(inner.rhs, k), inner),
        ("==", Lip**2 / 3 * (1 + (plus_.lhs - minus_.lhs) / 4)),
        ("==", Lip**2 / 3 * (1 + (plus_.rhs - minus_.rhs) / 4), plus_, minus_),
        ("==", Lip**2 / 3 + Lip**2 / 3 * product / d),
    )


@proves("COL:C.3", correlation_statements, part=2)
@cache
def increasing() -> Theorem:
    """The correlation increases with the inner product."""
    return show(Lip**2 / 3 + Lip**2 / 3 * t / d, "<", Lip**2 / 3 + Lip**2 / 3 * (t + s) / d)


@proves("COL:C.3", correlation_statements, part=3)
def along_the_image() -> Theorem:
    """u.Qx = Q'u.x"""
    return equal(affine(at_image), affine(turned))


@proves("COL:C.3", correlation_statements, part=4)
def length_of_the_slope() -> Theorem:
    """|Q'u| = |u|"""
    return instantiate(orthogonal(), {v: ((j,), direction(j, k))})


def length_of_the_image(of: Callable[[Variable], Term]) -> Term:
    """|Q'v|^2."""
    return over(over(Q(l, j) * of(l), l) ** 2)


@cache
def orthogonal() -> Theorem:
    """|Q' v| = |v| for every vector v."""
    return assume("Q is orthogonal", length_of_the_image(v), "==", over(v(j) ** 2), every=(v,))


#: Independent slopes on both sides, as functions of outcomes of their own.
slope_here, slope_there = Function("l_1", (Sort.TOKEN,), None)(o), Function("l_2", (Sort.TOKEN,), None)(k)


def sides_statements(same: bool = False, whole: int = 1) -> tuple[Statement, ...]:
    """Without b the task is a number times l_2 on the other side, and its companion a number times
    l_1, for a query on the side of l_1; and functions G of l_2 and H of l_1 (with `same`: of l_2)
    have E GH = E G E H; all times `whole`.
    """
    task = slope_here * plus(t) + slope_there * minus(t) + e
    slope = slope_here * Op("ind", (c,)) - slope_there * Op("above", (-c,))
    there, here = Op("above", (-t,)), Op("ind", (c,))
    pair = mean(mean(G(k) * (H(k) if same else H(o)), k))
    return (
        Statement(there * (task - e), "==", whole * (there * (slope_there * -t))),
        Statement(here * (slope * t + e - e), "==", whole * (here * (slope_here * t))),
        Statement(pair, "==", whole * (mean(G(k), k) * mean(H(o)))),
    )


@proves("COL:C.9p/independent", sides_statements, part=(1, 2, 3))
@cache
def independent_sides() -> tuple[Theorem, ...]:
    """Each product of indicators of opposite sides is 0."""
    first, second, pair = sides_statements()
    return (
        arithmetic(first.lhs, "==", first.rhs, hide=(slope_here, slope_there)),
        arithmetic(second.lhs, "==", second.rhs, hide=(slope_here, slope_there)),
        equal(pair.lhs, pair.rhs),
    )
