"""Lemma G.4 of Collins et al. from below: the sum g_p over n tokens, in every dimension.

The sum is at least a mixture of the numbers of tokens in rings, and the exponential is convex, so
that the rings need no union bound.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, discharge, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, k, mean, p, prompt, r, total
from proofs_check.derivations.window.uniform.cap_measure import dimension, of_the_constant, pi, polar
from proofs_check.derivations.window.uniform.kernel_means import sphere
from proofs_check.derivations.window.uniform.kernel_sum_order import apart, half, kernel_at
from proofs_check.derivations.window.uniform.sums.numbers import (
    M,
    Q,
    above,
    c,
    ind,
    l,
    numbers,
    over_numbers,
    series,
    tail,
    y,
)
from proofs_check.derivations.window.uniform.sums.rings import (
    SHARE,
    arcs,
    coordinates,
    depth,
    dimensions,
    in_dimension_3,
    in_dimension_4,
    least,
    on_the_circle,
    ring,
    rings,
    shares,
)

RATE = Fraction(2, 3)
kernel = kernel_at(r)
g_p = total(kernel)
#: The number of tokens in a ring, its share of the sphere, and what a token there adds at most.
inside = ring(c / r)
N, sigma = total(inside), mean(inside)
weight = exp(p / 2 * log(2 * c / r)) * exp(-2 * c)
gap = RATE * (n * sigma / 2 - N)
u, w, t = (Variable(name, range=REALS) for name in "uwt")
#: How deep a token is, times r, and a number of the list.
Y, C = Variable("Y", range=POSITIVE), Variable("C", range=Range(Fraction(1), None, False))
late, early = ind(Y - 1), above(1 - Y)


@cache
def enough() -> tuple[Theorem, Theorem]:
    return (
        assume("n > 5", 6, "<=", n),
        assume("n >= 45 sqrt(d) r^{d/2} log n", 45 * sqrt(d) * exp(d / 2 * log(r)) * log(n), "<=", n),
    )


@cache
def deep() -> Theorem:
    """(C/Y)^{p/2} <= 1 + C - Y for 1 <= Y <= C."""
    on, more = late * ind(C - Y), lambda e: Op("max", (term(0), e))
    a, h = (Variable(name, range=NONNEGATIVE) for name in "ah")
    grown = log(1 + a + h) - log(1 + a)
    logs = arithmetic(grown, "<=", log(1 + h)), arithmetic(0, "<=", grown)
    bernoulli = show(p / 2 * grown, "<=", log(1 + h), *logs, log(1 + a + h), log(1 + a), log(1 + h))
    bernoulli = calc(gcongr(exp(bernoulli.lhs), bernoulli), ("==", 1 + h))
    bernoulli = instantiate(bernoulli, {a: more(Y - 1), h: more(C - Y)})
    above_C = gcongr(log(C), arithmetic(C, "<=", 1 + more(Y - 1) + more(C - Y)))
    below_Y = arithmetic(late * log(1 + more(Y - 1)), "<=", late * log(Y))
    inner = instantiate(
        show(ind(t) * ind(w) * exp(u), "==", ind(t) * ind(w) * exp(ind(t) * ind(w) * u)), {t: Y - 1, w: C - Y}
    )
    own, wide = p / 2 * (log(C) - log(Y)), p / 2 * (above_C.rhs - log(1 + more(Y - 1)))
    first, second = gcongr(on * above_C.lhs, above_C), gcongr(ind(C - Y) * below_Y.lhs, below_Y)
    less = calc(
        on * own,
        ("==", p / 2 * first.lhs - p / 2 * second.rhs),
        ("<=", p / 2 * first.rhs - p / 2 * second.lhs, first, second),
        ("==", on * wide),
    )
    back = instantiate(show(ind(w) * (1 + more(w)), "==", ind(w) * (1 + w)), {w: C - Y})
    return calc(
        on * exp(own),
        ("==", on * exp(on * own), instantiate(inner, {u: own})),
        ("<=", on * exp(on * wide), less),
        ("==", on * exp(wide), instantiate(inner, {u: wide})),
        ("<=", on * (1 + more(C - Y)), bernoulli),
        ("==", on * (1 + (C - Y)), back),
    )


@cache
def shallow() -> Theorem:
    """(C/Y)^{p/2} <= C e^{2 - 2Y} for C/4 < Y < 1."""
    quarter = above(Y - Fraction(1, 4))
    on, own = early * quarter, p / 2 * (log(C) - log(Y))
    near = arithmetic(on * (-(p / 2) * log(Y)), "<=", on * (2 - 2 * Y))
    far = arithmetic(on * (p / 2 * log(C)), "<=", on * log(C))
    less = calc(
        on * own,
        ("==", far.lhs + near.lhs),
        ("<=", far.rhs + near.rhs, far, near),
        ("==", on * (log(C) + 2 - 2 * Y)),
    )
    inner = show(above(t) * above(w) * exp(u), "==", above(t) * above(w) * exp(above(t) * above(w) * u))
    inner = instantiate(inner, {t: 1 - Y, w: Y - Fraction(1, 4)})
    smaller = gcongr(early * above(Y - C / 4) * exp(own), arithmetic(Y - C / 4, "<=", Y - Fraction(1, 4)))
    return calc(
        smaller,
        ("==", on * exp(on * own), instantiate(inner, {u: own})),
        ("<=", on * exp(less.rhs), less),
        ("==", on * (C * exp(2 - 2 * Y)), instantiate(inner, {u: log(C) + 2 - 2 * Y})),
        ("<=", early * (C * exp(2 - 2 * Y))),
    )


@cache
def one_number() -> Theorem:
    """A ring around 0 with the weight (C/Y)^{p/2}, by both cases."""
    on, E = ind(C - Y) * above(Y - C / 4), exp(p / 2 * (log(C) - log(Y)))
    x = Variable("x", range=POSITIVE)
    split = show(ind(t) * above(w) * x, "<=", ind(u) * ind(t) * x + above(-u) * above(w) * x)
    split = instantiate(split, {t: C - Y, w: Y - C / 4, u: Y - 1, x: E})
    return chain(
        on * E, split, deep().lhs + shallow().lhs, gcongr(deep().lhs + shallow().lhs, deep(), shallow())
    )


@cache
def same_sign() -> tuple[Theorem, Theorem]:
    """A sign does not change with a positive factor x, nor whether a number is positive."""
    x = Variable("x", range=POSITIVE)
    up = arithmetic(0, "<=", ind(u) * (x * u)), arithmetic(above(-u) * (x * u), "<", ind(u))
    down = arithmetic(0, "<=", ind(-u) * (-x * u)), arithmetic(above(u) * (-x * u), "<", ind(-u))
    weak, strict = arithmetic(ind(u), "==", ind(x * u), *up), arithmetic(above(u), "==", above(x * u), *down)
    return instantiate(weak, {x: r}), instantiate(strict, {x: r})


@cache
def one_token() -> Theorem:
    """(1 - e^{-2})^2 sum of the weights of the rings with the token is at most what it adds."""
    deep_ = r * half
    weak, strict = same_sign()
    weak, strict = instantiate(weak, {u: c / r - half}), instantiate(strict, {u: half - c / r / 4})
    one = instantiate(one_number(), {Y: deep_, C: c}, numbers()[0])
    first, second = (instantiate(series(), {y: e}) for e in (deep_, term(1)))
    here, late_, early_ = exp(2 * deep_ - 2 * c), ind(deep_ - 1), above(1 - deep_)
    value = c * exp(-2 * (c - 1))
    all_ = arithmetic(value, "<=", ind(c - 1) * value, numbers()[0], hide=(value,))
    deeper = late_ * (ind(c - deep_) * (1 + (c - deep_)) * exp(-2 * (c - deep_)))
    each = calc(
        Q**2 * weight * inside,
        ("==", Q**2 * weight * ind(c - deep_) * above(deep_ - c / 4), weak, strict),
        ("==", kernel * here * Q**2 * one.lhs),
        ("<=", kernel * here * Q**2 * one.rhs, one),
        ("==", kernel * Q**2 * (deeper + early_ * value)),
        (
            "<=",
            kernel * Q**2 * (deeper + early_ * all_.rhs),
            gcongr(kernel * Q**2 * (deeper + early_ * value), all_),
        ),
    )
    both = kernel * (late_ * first.lhs + early_ * second.lhs)
    return chain(
        Q**2 * over_numbers(weight * inside),
        integrate("coordinates", (l,), each, (M,)),
        both,
        gcongr(both, first, second),
        show(kernel * (late_ * term(1) + early_ * term(1)), "<=", kernel),
    )


#: Sums over the numbers: of the weights alone, with half the mean numbers of tokens, and with the
#: numbers of tokens.
ones, halves, counts = (over_numbers(weight * e) for e in (1, n * sigma / 2, N))


@cache
def mixture() -> Theorem:
    """(1 - e^{-2})^2 sum_l weight_l N_l <= g_p."""
    return chain(Q**2 * counts, integrate("sum", (k,), one_token(), (prompt,)), g_p)


@cache
def area() -> Theorem:
    """71/100 (c_l/r)^{(d - 1)/2}/sqrt(2 pi d) <= sigma_l."""
    at = log(r) - log(c)
    found = instantiate(rings(), {depth: at}, show(0, "<=", at, gcongr(log(c), numbers()[1])))
    same = arithmetic(exp(-at), "==", c / r)
    return chain(least(c / r), found, gcongr(found.rhs, same), sigma)


@cache
def many() -> Theorem:
    """127/10 log n <= n sigma_l, as n r^{-d/2} >= 45 sqrt(d) log n."""
    first, last, _ = numbers()
    scale, long = log(r), arithmetic(0, "<=", log(r), first, last)
    quotient = arithmetic(-scale, "<=", log(c / r), first)
    low = show(-(d / 2) * scale, "<=", (d - 1) / 2 * log(c / r), quotient, long, scale, log(c / r))
    low = gcongr(SHARE / sqrt(2 * pi * d) * exp(low.lhs), low)
    low, tokens = chain(low, area()), enough()[1]
    return chain(
        show(Fraction(127, 10) * log(n), "<=", SHARE * 45 * sqrt(d) / sqrt(2 * pi * d) * log(n)),
        gcongr(tokens.lhs * low.lhs, tokens),
        gcongr(n * low.lhs, low),
        n * sigma,
    )


@cache
def rare() -> Theorem:
    """E e^{(2/3)(n sigma_l/2 - N_l)} <= 1/(4n), as e^{-2y/3} is below its chord."""
    x = Variable("x", range=Range(Fraction(0), Fraction(1), False, False))
    chord = arithmetic(exp(-RATE * x), "<=", 1 - (1 - exp(-RATE)) * x)
    most = instantiate(show(ind(t) * above(w), "<=", 1), {t: c / r - half, w: half - c / r / 4})
    chord = instantiate(chord, {x: inside}, most, show(0, "<=", inside))
    one = calc(
        integrate("mean", (k,), chord),
        ("==", 1 - (1 - exp(-RATE)) * sigma),
        (
            "<=",
            exp(-(1 - exp(-RATE)) * sigma),
            instantiate(arithmetic(1 + u, "<=", exp(u)), {u: -(1 - exp(-RATE)) * sigma}),
        ),
    )
    rate = arithmetic(RATE / 2 - 1 + exp(-RATE), "<=", Fraction(-3, 20))
    return calc(
        bind("prompt", (prompt,), exp(gap)),
        ("==", exp(RATE * n * sigma / 2) * one.lhs**n),
        ("<=", exp(RATE * n * sigma / 2) * one.rhs**n, one),
        ("==", exp(n * sigma * rate.lhs)),
        ("<=", exp(-Fraction(3, 20) * n * sigma), rate),
        ("<=", exp(-Fraction(3, 20) * (Fraction(127, 10) * log(n))), many()),
        ("<=", 1 / (4 * n), enough()[0]),
    )


def is_rare(
    event: Term, short: Theorem, factor: Term, more: Term, gap: Term, rate: Fraction, rare: Theorem
) -> Theorem:
    """P(event) <= 1/(4n), where the event is that a number is positive which is at most `factor`
    times `more`, and `rate` times `more` is the sum of the weight_l gap_l: in the event the sum of
    the weight_l e^{gap_l} is at least that of the weight_l, as e^x >= 1 + x.
    """
    powers, some = over_numbers(weight * exp(gap)), above(short.rhs)
    each = instantiate(arithmetic(1 + u, "<=", exp(u)), {u: gap})
    each = gcongr(weight * each.lhs, each)
    convex = integrated("coordinates", (l,), each, ones + rate * more, powers, (M,))
    gaps = instantiate(arithmetic(0, "<=", above(factor * u) * u), {u: more})
    point = chain(
        gcongr(event * ones, short),
        show(some * ones, "<=", some * convex.lhs, gaps),
        gcongr(some * convex.lhs, convex),
        instantiate(show(some * y, "<=", y), {y: powers}),
    )
    each, chance = gcongr(weight * rare.lhs, rare), bind("prompt", (prompt,), event)
    most = integrated("coordinates", (l,), each, bind("prompt", (prompt,), powers), ones / (4 * n), (M,))
    found = chain(integrated("prompt", (prompt,), point, ones * chance), most)
    return calc(chance, ("<=", 1 / (4 * n), found))


#: gamma((d + p)/2, 2, r) over r^{(d + p)/2}, and the bound of the lemma.
gamma = exp(-(d + p) / 2 * log(r)) * over_numbers(exp((d + p) / 2 * log(c)) * exp(-2 * c))
bound = Q * n * exp(p / 2 * log(term(2))) / sqrt(8 * exp(1) * pi * d) * gamma


@cache
def below_half() -> Theorem:
    """The bound is at most (1 - e^{-2})^2 sum_l weight_l n sigma_l/2."""
    first, last, _ = numbers()
    quotient = arithmetic(log(c / r), "<=", 0, first, last)
    logs = (
        arithmetic(log(2 * c / r), "==", log(term(2)) + log(c) - log(r)),
        arithmetic(log(c / r), "==", log(c) - log(r)),
    )
    exponent = show(
        p / 2 * log(term(2)) + (d + p) / 2 * log(c) - (d + p) / 2 * log(r),
        "<=",
        p / 2 * log(2 * c / r) + (d - 1) / 2 * log(c / r),
        quotient,
        *logs,
        log(c / r),
        log(2 * c / r),
        log(c),
        log(r),
        log(term(2)),
    )
    scale = n / sqrt(8 * exp(1) * pi * d)
    factor = sqrt(2 * pi * d) / (SHARE * sqrt(8 * exp(1) * pi * d))
    small = show(factor, "<=", Q / 2)
    each = calc(
        scale * exp(exponent.lhs) * exp(-2 * c),
        ("<=", scale * exp(exponent.rhs) * exp(-2 * c), exponent),
        ("==", factor * n * area().lhs * weight),
        ("<=", factor * n * area().rhs * weight, area()),
        ("<=", Q / 2 * n * area().rhs * weight, small),
    )
    scaled_ = n * exp(p / 2 * log(term(2))) / sqrt(8 * exp(1) * pi * d) * gamma
    part = integrated("coordinates", (l,), each, scaled_, Q * halves, (M,))
    return calc(bound, ("==", Q * scaled_), ("<=", Q * (Q * halves), part, scaled_), ("==", Q**2 * halves))


@cache
def from_rings() -> Theorem:
    """P(g_p < bound) <= 1/(4n), as where g_p is less the weighted mean of the gaps is positive."""
    more = halves - counts
    short = show(bound - g_p, "<=", Q**2 * more, below_half(), mixture())
    return is_rare(above(bound - g_p), short, Q**2, more, gap, RATE, rare())


@cache
def uniform() -> tuple[tuple[Theorem, ...], ...]:
    """What is used of the tokens in dimension 2, in dimension 3, and from 4 on."""
    many = (apart(), polar()[0], coordinates(), *of_the_constant(), dimension())
    circle, space, more = dimensions()
    return (
        (arcs(), *sphere(), apart(), circle),
        (shares(), *sphere(), apart(), space),
        (*sphere(), *many, more),
    )


def statements(factor: int | Fraction = 1) -> tuple[Statement, ...]:
    """g_p is less than factor times the bound with probability at most 1/(4n), in each case."""
    event = bind("prompt", (prompt,), above(Fraction(factor) * bound - g_p))
    given = (hypotheses(*numbers(), tail(), *enough(), *case) for case in uniform())
    return tuple(Statement(event, "<=", 1 / (4 * n), case) for case in given)


@proves("COL:G.4/lower", statements, at=(on_the_circle, in_dimension_3, in_dimension_4))
@cache
def sums_from_below(of_a_ring: Callable[[], Theorem]) -> Theorem:
    (of_rings,) = rings().assumptions
    return discharge(from_rings(), of_rings, of_a_ring())
