"""Lemmas C.2, C.4 and C.8 of Collins et al.: what bounds the signal term, and how it splits."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import (
    Lip,
    S,
    W,
    X,
    a,
    average,
    b,
    d,
    distance,
    half_the_square,
    height,
    i,
    j,
    k,
    l,
    mean,
    n,
    o,
    on_the_sphere,
    over,
    q,
    square_of_an_average,
    t,
    tokens,
    x,
)

#: The task at the tokens and at the query.
f, f_query = Function("f", (Sort.INDEX, Sort.TOKEN)), Function("f_x", (Sort.TOKEN,))
difference = f(i, o) - f_query(o)
signal = mean((average(f(i, o)) - f_query(o)) ** 2)
#: The average of the tokens, and its inner product with the query.
centre = average(X(i, j, o))
overlap = over(x(j, o) * centre)
#: The slope of a task, its direction, a vector, and a variable with two moments.
slope, direction = Function("slope", (Sort.QUERY,), None), Function("u", (Sort.INDEX, Sort.TOKEN), None)
v = Function("v", (Sort.INDEX,))
Y = Function("Y", (Sort.TOKEN,), Fraction(2))
#: A token without its place in the prompt, and fixed orthonormal vectors.
Z, r, p = (
    Function("Z", (Sort.INDEX, Sort.TOKEN), None),
    Function("r", (Sort.INDEX,)),
    Function("p", (Sort.INDEX,)),
)


@cache
def lipschitz() -> Theorem:
    """|f(x_i) - f(x)| <= L |x_i - x|."""
    return assume("Lipschitz task", difference**2, "<=", Lip**2 * distance, every=(i, o))


@cache
def diameter() -> Theorem:
    """|x_i - x|^2 = 2 - 2 x_i.x <= 4 on the sphere."""
    far = over((X(i, j, o) + x(j, o)) ** 2)
    square = calc(0, ("<=", far), ("==", over(X(i, j, o) ** 2) + 2 * height + over(x(j, o) ** 2)))
    return arithmetic(distance, "<=", 4, half_the_square(), *on_the_sphere(), square)


def bounded_statement(c: int | Fraction = 4) -> Statement:
    """The signal term of an L-Lipschitz task is at most c L^2, for any weights of attention."""
    given = lipschitz().assumptions.union(*(x.assumptions for x in on_the_sphere()))
    return Statement(signal, "<=", Fraction(c) * Lip**2, given)


@proves("COL:C.2", bounded_statement)
@cache
def bounded() -> Theorem:
    """Lemma C.2: no difference of values is above 2L."""
    each = calc(lipschitz(), ("<=", Lip**2 * 4, diameter()))
    weighted = integrate("coordinates", (i,), gcongr(W * difference**2, each), (n,))
    inside = chain(
        (average(f(i, o)) - f_query(o)) ** 2,
        square_of_an_average(difference),
        gcongr(tokens(W * difference**2) / S, weighted),
        4 * Lip**2,
    )
    return chain(signal, integrate("mean", (o,), inside), 4 * Lip**2)


def distance_statement(c: int | Fraction = 1) -> Statement:
    """The signal term is at most the mean of (c L g_1/g_0)^2, for any weights of attention."""
    return Statement(
        signal, "<=", mean((Fraction(c) * Lip * average(sqrt(distance))) ** 2), lipschitz().assumptions
    )


@proves("COL:C.8p/first", distance_statement)
@cache
def by_distances() -> Theorem:
    """(sum gamma_i (f(x_i) - f(x)))^2 <= (L sum gamma_i |x_i - x|)^2, and its mean."""
    length = sqrt(distance)
    size = calc(gcongr(sqrt(difference**2), lipschitz()), ("==", Lip * length))
    V, Y = tokens(W * difference), Lip * tokens(W * length)
    above, below = (
        chain(sign * V, integrate("coordinates", (i,), gcongr(W * side.lhs, chain(side, size)), (n,)), Y)
        for sign in (1, -1)
        for side in [instantiate(arithmetic(sign * a, "<=", sqrt(a**2)), {a: difference})]
    )
    short = gcongr(V**2 / S**2, show(V**2, "<=", Y**2, above, below, V, Y))
    inside = chain((average(f(i, o)) - f_query(o)) ** 2, short, (Lip * average(length)) ** 2)
    return integrate("mean", (o,), inside)


@cache
def uniform_direction() -> tuple[Theorem, Theorem, Theorem]:
    """What is used of a uniform direction: flips of single coordinates and permutations keep its
    law, so that coordinates are uncorrelated and of one mean square, and its length is 1.
    """
    square = mean(over(v(j) * direction(j, k)) ** 2, k)
    each = lambda index: mean(direction(index, k) ** 2, k)
    return (
        assume("the coordinates of u are uncorrelated", square, "==", over(v(j) ** 2 * each(j)), every=(v,)),
        assume("the coordinates of u have one mean square", each(j), "==", each(l), every=(j, l)),
        assume("|u| = 1", over(direction(j, k) ** 2), "==", 1, every=(k,)),
    )


@cache
def isotropic() -> Theorem:
    """E (u.v)^2 = |v|^2/d for every vector v."""
    uncorrelated, alike, unit = uniform_direction()
    share, norm = d * alike.lhs, calc(mean(unit.lhs, k), ("==", 1, unit))
    total = chain(share, integrate("coordinates", (l,), alike, (d,)), norm)
    one = chain(alike.lhs, show(share / d, "==", 1 / d, total))
    weighted = show(v(j) ** 2 * alike.lhs, "==", v(j) ** 2 / d, one)
    return calc(uncorrelated, ("==", over(v(j) ** 2 / d), weighted), ("==", over(v(j) ** 2) / d))


@cache
def uniform_slope() -> Theorem:
    """E l^2 = L^2/3 for a slope that is uniform on [-L, L]."""
    return assume("uniform slope: E l^2 = L^2/3", bind("query", (q,), slope(q) ** 2), "==", Lip**2 / 3)


#: E l^2 (u.v)^2, the squared distance |x - h|^2 of the query from the average h, and that of h
#: from the line through the query.
moment = bind("query", (q,), mean(slope(q) ** 2 * over(v(j) * direction(j, k)) ** 2, k))
from_the_query, from_the_line = over((x(j, o) - centre) ** 2), over((centre - overlap * x(j, o)) ** 2)


def split_statements(three: int = 3, cross: int = 0) -> tuple[Statement, Statement]:
    """E l^2 (u.v)^2 = L^2 |v|^2/(three d), and |x - h|^2 = (1 - x.h)^2 + |h - (x.h) x|^2 +
    cross.
    """
    right = (1 - overlap) ** 2 + from_the_line
    right = right + cross if cross else right
    return (
        Statement(
            moment,
            "==",
            Lip**2 / (three * d) * over(v(j) ** 2),
            hypotheses(uniform_slope(), *uniform_direction()),
        ),
        Statement(from_the_query, "==", right, on_the_sphere()[1].assumptions),
    )


@proves("COL:C.4a", split_statements, part=1)
@cache
def second_moment() -> Theorem:
    """E l^2 (u.v)^2 = L^2 |v|^2/(3d)."""
    product = uniform_slope().lhs * isotropic().lhs
    return calc(
        moment, ("==", product), ("==", Lip**2 / (3 * d) * over(v(j) ** 2), uniform_slope(), isotropic())
    )


@proves("COL:C.4a", split_statements, part=2)
@cache
def split() -> Theorem:
    """|x - h|^2 = (1 - x.h)^2 + |h - (x.h) x|^2, as |x| = 1."""
    norm, square = over(x(j, o) ** 2), over(centre**2)
    first = equal(from_the_query, norm - 2 * overlap + square)
    second = equal(from_the_line, square - 2 * overlap**2 + overlap**2 * norm)
    right = (1 - overlap) ** 2 + from_the_line
    return show(from_the_query, "==", right, first, second, on_the_sphere()[1])


def along_statement(half: int = 2) -> Statement:
    """1 - x.h = g_2/(half g_0)."""
    given = hypotheses(*on_the_sphere())
    return Statement(1 - overlap, "==", average(distance) / half, given)


@proves("COL:C.4b", along_statement)
@cache
def along_the_query() -> Theorem:
    """1 - x.h = (sum gamma_i |x_i - x|^2)/2, which is g_2/(2 g_0)."""
    each = show(W * height, "==", W - W * distance / 2, half_the_square())
    heights, far = tokens(W * height), tokens(W * distance)
    both = calc(heights, ("==", tokens(W - W * distance / 2), each), ("==", S - far / 2))
    return show(1 - overlap, "==", average(distance) / 2, equal(overlap, heights / S), both)


@cache
def in_an_interval() -> tuple[Theorem, Theorem]:
    """The hypothesis that a variable has its values in [a, b]."""
    return assume("at least a", a, "<=", Y(o), every=(o,)), assume("at most b", Y(o), "<=", b, every=(o,))


def variance_statements(quarter: int = 4) -> tuple[Statement, Statement]:
    """Var Y <= (b - a)^2/quarter on [a, b], and Var x'.x_i <= 4(1 - t^2)/quarter at the height
    t.
    """
    given = hypotheses(*in_an_interval())
    sphere = hypotheses(*orthonormal())
    across = over(r(j) * Z(j, o))
    return (
        Statement(mean((Y(o) - mean(Y(o))) ** 2), "<=", (b - a) ** 2 / quarter, given),
        Statement(mean((across - mean(across)) ** 2), "<=", 4 * (1 - t**2) / quarter, sphere),
    )


@proves("COL:C.4p", variance_statements, part=1)
@cache
def popoviciu() -> Theorem:
    """Var Y <= (b - a)^2/4, as E (Y - a)(b - Y) >= 0 and (E Y - (a + b)/2)^2 >= 0."""
    inside, m = arithmetic(Y(o) ** 2, "<=", (a + b) * Y(o) - a * b, *in_an_interval()), mean(Y(o))
    square = calc(mean(Y(o) ** 2), ("<=", mean(inside.rhs), inside), ("==", (a + b) * m - a * b))
    return calc(
        mean((Y(o) - m) ** 2),
        ("==", mean(Y(o) ** 2) - m**2),
        ("<=", (a + b) * m - a * b - m**2, square),
        ("<=", (b - a) ** 2 / 4),
    )


@cache
def orthonormal() -> tuple[Theorem, ...]:
    """A token Z on the sphere at the height t over a unit vector p, and a unit vector r _|_ p."""
    return (
        assume("tokens on the sphere", over(Z(j, o) ** 2), "==", 1, every=(o,)),
        assume("the height x.x_i is t", over(p(j) * Z(j, o)), "==", t, every=(o,)),
        assume("|x| = 1", over(p(j) ** 2), "==", 1),
        assume("|x'| = 1", over(r(j) ** 2), "==", 1),
        assume("x'.x = 0", over(r(j) * p(j)), "==", 0),
    )


@proves("COL:C.4p", variance_statements, part=2)
@cache
def variance_across() -> Theorem:
    """Var x'.x_i <= 1 - t^2 at the height t: (x'.x_i)^2 <= 1 - t^2 by Bessel's inequality."""
    across = over(r(j) * Z(j, o))
    norm, along, pp, rr, pr = (t.lhs for t in orthonormal())
    rest = over((Z(j, o) - along * p(j) - across * r(j)) ** 2)
    whole = norm - 2 * along**2 - 2 * across**2 + along**2 * pp + across**2 * rr + 2 * along * across * pr
    square = calc(0, ("<=", rest), ("==", whole), ("==", 1 - t**2 - across**2, *orthonormal()))
    inside, m = show(across**2, "<=", 1 - t**2, square), mean(across)
    return calc(
        mean((across - m) ** 2),
        ("==", mean(across**2) - m**2),
        ("<=", mean(across**2)),
        ("<=", 1 - t**2, integrate("mean", (o,), inside)),
    )
