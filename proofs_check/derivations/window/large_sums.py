"""Lemma G.3 of Collins et al. for large m: the sum over 1, .., m of i^d e^{-alpha i} beside the
gamma function, by the levels below the function: above a level it is on an interval.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt, symm
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.tilted import query
from proofs_check.derivations.tails.incomplete_gamma import T, density, over_T, rate, u_
from proofs_check.derivations.window.powers import alpha, d, gamma, largest_term, pi, stirling
from proofs_check.derivations.window.rearranged import layers, length, level, over, s

l, m = Variable("l", Sort.INDEX), Variable("m", range=whole(1))
y, z = (Variable(name, range=NONNEGATIVE) for name in "yz")
log_t = Variable("log t", range=REALS)
#: The numbers 1, .., m, and the interval on which the function is above a level.
log_c = Function("log c", (Sort.INDEX,))(l)
number = exp(log_c)
first_root, root = (Function(name, (Sort.QUERY,))(s) for name in "ab")
start, width = first_root**2, root**2


def value(log_t: Term) -> Term:
    """t^d e^{-alpha t}."""
    return exp(d * log_t - alpha * exp(log_t))


def above(log_t: Term) -> Op:
    return Op("above", (value(log_t) - level(s),))


def total(body: Term) -> Term:
    return bind("coordinates", (l,), body, (m,))


def within(low: Term, high: Term, t: Term) -> Term:
    return Op("above", (t - low,)) * Op("above", (high - t,))


#: The sum, the largest value, which is at d/alpha, and whether a level is below it.
sums, peak = total(value(log_c)), exp(d * log(d / alpha) - d)
some = Op("above", (peak - level(s),))
scale = exp(-(d + 1) * log(alpha))


@cache
def numbers() -> tuple[Theorem, Theorem]:
    """How many of 1, .., m an open interval holds."""
    inside = total(within(y, y + z, number))
    beyond = Op("max", (term(0), y + z - (m + 1)))
    return (
        assume(
            "of 1, .., m an interval holds at most 1 more than its length", inside, "<=", z + 1, every=(y, z)
        ),
        assume(
            "of 1, .., m an interval holds at least its length below m + 1, but for 1",
            z,
            "<=",
            inside + 1 + beyond,
            every=(y, z),
        ),
    )


@cache
def areas() -> tuple[Theorem, Theorem]:
    """The intervals above the levels, and Euler's integral as the area below the function."""
    area = over(s, some * width)
    return (
        assume(
            "t^d e^{-alpha t} is above a level on an interval",
            above(log_t),
            "==",
            within(start, start + width, exp(log_t)),
            every=(log_t, s),
        ),
        assume("Gamma(d + 1)/alpha^{d + 1} is the area below t^d e^{-alpha t}", area, "==", scale * gamma),
    )


@cache
def event_squared(event: Op) -> Theorem:
    """An event is its square, which the kernel sees not to be negative as it stands."""
    u = Variable("u", range=REALS)
    return instantiate(arithmetic(Op("above", (u,)) ** 2, "==", Op("above", (u,))), {u: event.args[0]})


def back(thm: Theorem) -> Theorem:
    """Y <= X from X == Y, where both may be infinite."""
    return gcongr(thm.rhs, thm)


@cache
def by_layers() -> tuple[Theorem, Theorem]:
    """The sum is at most, and at least, the integral over the levels of how many values are above
    them.
    """
    one, square = instantiate(layers(), {y: value(log_c)}), event_squared(above(log_c))
    of = Function("G", (Sort.INDEX, Sort.QUERY))
    same = chain(over(s, total(of(l, s) ** 2)), total(over(s, of(l, s) ** 2)))
    same = instantiate(same, {of: ((l, s), above(log_c))})
    inner = lambda event: integrate("query", (s,), gcongr(length(s) * event.lhs, event))
    outer = lambda event: integrate("coordinates", (l,), event, (m,))
    first = outer(chain(back(one), inner(symm(square))))
    second = outer(chain(inner(square), one))
    return (
        chain(sums, first, back(same), inner(outer(square))),
        chain(inner(outer(symm(square))), same, second, sums),
    )


@cache
def parts(*roots: Term) -> Theorem:
    """The integral over the levels of a sum of squares."""
    of = [Function(f"F{n}", (Sort.QUERY,)) for n, _ in enumerate(roots)]
    whole_ = sum((F(s) ** 2 for F in of[1:]), of[0](s) ** 2)
    each = sum((over(s, F(s) ** 2) for F in of[1:]), over(s, of[0](s) ** 2))
    return instantiate(chain(over(s, whole_), each), {F: ((s,), e) for F, e in zip(of, roots)})


@cache
def below_the_peak() -> Theorem:
    """A value is above a level only if the largest one is."""
    u, top = Variable("u", range=REALS), log(d / alpha)
    line = instantiate(arithmetic(1 + u, "<=", exp(u)), {u: log_c - top})
    same = arithmetic(d * exp(u - log(d / alpha)), "==", alpha * exp(u))
    least = chain(gcongr(d * line.lhs, line), instantiate(same, {u: log_c}))
    exponent = show(d * log_c - alpha * exp(log_c), "<=", d * top - d, least, log_c, top, alpha * exp(log_c))
    less = chain(value(log_c), gcongr(exp(d * log_c - alpha * exp(log_c)), exponent), peak)
    twice = instantiate(
        arithmetic(Op("above", (u,)), "<=", Op("above", (u,)) ** 2), {u: value(log_c) - level(s)}
    )
    once = instantiate(gcongr(above(log_c) * y, less), {y: above(log_c)})
    return chain(twice, once)


def given(*more: Theorem) -> frozenset[Assumption]:
    return hypotheses(layers(), *areas(), *stirling(), *more)


def upper_statement(two: int | Fraction = 2) -> Statement:
    """The sum is at most two Gamma(d + 1)/alpha^{d + 1}."""
    return Statement(sums, "<=", Fraction(two) * scale * gamma, given(numbers()[0]))


@proves("COL:G.3/large.upper", upper_statement)
@cache
def sums_from_above() -> Theorem:
    """Above a level are at most the length of the interval and 1 of the values; the levels that are
    below the largest value are as many as it says.
    """
    on = instantiate(areas()[0], {log_t: log_c})
    inside = chain(below_the_peak(), gcongr(some * above(log_c), on))
    inside = integrate("coordinates", (l,), inside, (m,))
    count = instantiate(numbers()[0], {y: start, z: width})
    inside = chain(
        total(above(log_c)), inside, some * count.lhs, gcongr(some * count.lhs, count), some * width + some
    )
    square = event_squared(some)
    inside = chain(inside, gcongr(inside.rhs, symm(square)), (some * root) ** 2 + some**2)
    inside = integrate("query", (s,), gcongr(length(s) * inside.lhs, inside))
    split = parts(some * root, some)
    less = gcongr(some**2 * width, square)
    area = integrate("query", (s,), gcongr(length(s) * less.lhs, less))
    area = chain(over(s, (some * root) ** 2), area, areas()[1])
    ones = integrate("query", (s,), gcongr(length(s) * square.lhs, square))
    ones = chain(ones, instantiate(layers(), {y: peak}))
    most = chain(by_layers()[0], inside, split, gcongr(split.rhs, area, ones))
    last = chain(peak, largest_term(), scale * gamma)
    return chain(most, gcongr(most.rhs, last), 2 * scale * gamma)


#: How far alpha (m + 1) is beyond d, the integral of t^d e^{-t} from there on, and what a level has
#: beyond m + 1.
g = Variable("g", range=POSITIVE)
end = d + g
late, Z = Op("ind", (T(query),)), Op("max", (T(query), term(0)))
tail = exp(-end) * over_T(exp(d * log(end + Z)) * late)
beyond = Op("max", (term(0), start + width - (m + 1)))


@cache
def far() -> tuple[Theorem, ...]:
    """m >= (d + sqrt d)/alpha for alpha >= 1, and the area beyond m + 1."""
    return (
        assume("g = alpha (m + 1) - d", alpha * (m + 1), "==", end),
        assume("m >= (d + sqrt d)/alpha", (d + sqrt(d)) / alpha, "<=", m),
        assume("alpha >= 1", 1, "<=", alpha),
        assume(
            "the area beyond m + 1 is Gamma(d + 1, alpha (m + 1))", over(s, some * beyond), "==", scale * tail
        ),
    )


def lower_statement(constant: int | Fraction = Fraction(8, 3)) -> Statement:
    """Gamma(d + 1)/(constant alpha^{d + 1}) is at most the sum, for m >= (d + sqrt d)/alpha."""
    return Statement(scale * gamma / Fraction(constant), "<=", sums, given(numbers()[1], density(), *far()))


@cache
def area_from_above() -> Theorem:
    """Gamma(d + 1)/alpha^{d + 1} <= the sum, the largest value and the tail."""
    on = instantiate(areas()[0], {log_t: log_c})
    on = integrate("coordinates", (l,), symm(on), (m,))
    count = instantiate(numbers()[1], {y: start, z: width})
    count = chain(count, gcongr(count.rhs, on))
    values, square, u = total(above(log_c)), event_squared(some), Variable("u", range=REALS)
    smaller = instantiate(arithmetic(Op("above", (u,)) * y, "<=", y), {u: some.args[0], y: values})
    point = chain(
        some * width,
        gcongr(some * width, count),
        some * values + some * 1 + some * beyond,
        gcongr(some * values + some * 1 + some * beyond, smaller, symm(square)),
    )
    roots = sqrt(values), some, some * sqrt(beyond)
    point = chain(point, roots[0] ** 2 + roots[1] ** 2 + roots[2] ** 2)
    point = integrate("query", (s,), gcongr(length(s) * point.lhs, point))
    split = parts(*roots)
    whole_ = integrate("query", (s,), chain(length(s) * roots[0] ** 2, length(s) * values))
    rest = gcongr(some**2 * beyond, square)
    rest = chain(length(s) * roots[2] ** 2, gcongr(length(s) * rest.lhs, rest))
    rest = chain(integrate("query", (s,), rest), far()[3])
    ones = integrate("query", (s,), gcongr(length(s) * square.lhs, square))
    ones = chain(ones, instantiate(layers(), {y: peak}))
    whole_ = chain(whole_, by_layers()[1])
    return chain(back(areas()[1]), point, split, gcongr(split.rhs, whole_, ones, rest))


@cache
def tail_from_above() -> Theorem:
    """Gamma(d + 1, x) <= x/(x - d) x^d e^{-x}: it is (x + Z)^d <= x^d e^{dZ/x}, and the mean of
    e^{dZ/x} is x/(x - d).
    """
    u, v, w = Variable("u", range=REALS), Variable("v", range=POSITIVE), Variable("w", range=NONNEGATIVE)
    slope = instantiate(arithmetic(log(end + w), "<=", log(end) + w / end), {w: Z})
    share, top = g / end, exp(d * log(end))
    ratio, positive = arithmetic(d / end, "==", 1 - share), arithmetic(0, "<", 1 - share)
    same = arithmetic(Op("ind", (u,)) * exp(v * Op("max", (u, term(0)))), "==", Op("ind", (u,)) * exp(v * u))
    same = instantiate(same, {u: T(query), v: 1 - share}, positive)
    law = instantiate(density(), {rate: share, u_: term(0)}, show(share, "<=", 1))
    inner = calc(
        exp(d * log(end + Z)) * late,
        ("<=", exp(d * (log(end) + Z / end)) * late, slope),
        ("==", top * (late * exp(d / end * Z))),
        ("<=", top * same.lhs, gcongr(top * (late * exp(d / end * Z)), ratio)),
        ("==", top * same.rhs, same),
    )
    return calc(
        tail,
        ("<=", exp(-end) * top * law.lhs, inner),
        ("==", exp(d * log(end) - end) * (1 / share), law),
        ("==", exp(d * log(end) - end) * (1 + d / g), arithmetic(1 / share, "==", 1 + d / g)),
    )


@cache
def small_tail() -> Theorem:
    """The tail and the largest value are at most 5/8 of Gamma(d + 1)."""
    v = Variable("v", range=POSITIVE)
    bound, many, small = stirling()
    P, root_ = exp(d * log(d) - d), sqrt(2 * pi * d)
    least = arithmetic(sqrt(d) + alpha, "<=", g, *far()[:2])
    curve = instantiate(arithmetic(log(1 + v), "<=", v * (2 + v) / (2 * (1 + v))), {v: g / d})
    steep = arithmetic(d * curve.rhs, "<=", g - Fraction(1, 2), least, far()[2])
    steep = chain(gcongr(d * curve.lhs, curve), steep)
    logs = arithmetic(log(end), "==", log(d) + log(1 + g / d))
    steep = show(
        d * log(end) - end,
        "<=",
        d * log(d) - d - Fraction(1, 2),
        logs,
        steep,
        log(end),
        log(d),
        log(1 + g / d),
    )
    half = exp(Fraction(-1, 2))
    near = arithmetic(d / g, "<=", d / (sqrt(d) + alpha), least)
    a = Variable("a", range=Range(Fraction(1), Fraction(2), False, False))
    x = Variable("x", range=Range(Fraction(223, 100), lo_open=False))
    size = arithmetic(a + half * (1 + x**2 / (x + a)), "<=", Fraction(5, 8) * sqrt(term(6)) * x)
    root = arithmetic(Fraction(223, 100), "<=", sqrt(d), many)
    size = instantiate(size, {a: alpha, x: sqrt(d)}, root, small, far()[2])
    size = chain(alpha + half * (1 + d / (sqrt(d) + alpha)), size, Fraction(5, 8) * sqrt(6 * d))
    size = chain(size, show(Fraction(5, 8) * sqrt(6 * d), "<=", Fraction(5, 8) * root_))
    same = arithmetic(exp(log(alpha)), "<=", alpha)
    return calc(
        gcongr(exp(log(alpha)) * P + tail, same),
        ("<=", alpha * P + tail_from_above().rhs, tail_from_above()),
        ("<=", alpha * P + P * half * (1 + d / g), steep),
        ("<=", alpha * P + P * half * (1 + d / (sqrt(d) + alpha)), near),
        ("==", P * size.lhs),
        ("<=", P * size.rhs, size),
        ("==", Fraction(5, 8) * (root_ * P)),
        ("<=", Fraction(5, 8) * gamma, bound),
    )


@proves("COL:G.3/large.lower", lower_statement)
@cache
def sums_from_below() -> Theorem:
    """The sum is at least the integral without the tail and the largest value."""
    area, less, X = area_from_above(), small_tail(), scale * gamma
    both = chain(X, area, sums + scale * less.lhs, gcongr(sums + scale * less.lhs, less))
    return show(Fraction(3, 8) * X, "<=", sums, chain(both, sums + X * Fraction(5, 8)), X, sums)
