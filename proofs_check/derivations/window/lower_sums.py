"""Lemma G.4 of Collins et al. from below at p = 0: the sum g_0 over n tokens, in every dimension.

The sum is at least a mixture of the numbers of tokens in caps, and the exponential is convex, so
that the caps need no union bound.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Range, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window import caps
from proofs_check.derivations.window.kernel_sums import d, k, mean, prompt, r, square, total
from proofs_check.derivations.window.symmetry import at, cap

l, m = Variable("l", Sort.INDEX), Variable("m", range=whole(1))
y, u = Variable("y", range=NONNEGATIVE), Variable("u", range=REALS)
eps = Variable("eps", range=Range(Fraction(0), Fraction(1), True, False))
pi = Variable("pi", range=Range(Fraction(3), Fraction(22, 7)))
#: The numbers 1, .., m, as exponentials, where m is the whole part of r.
c = exp(Function("log c", (Sort.INDEX,))(l))
#: 1 - x_k.x on the sphere.
depth = square / 2
g_0 = total(exp(-r * square))
Q = 1 - exp(-2)
CAP = "a cap of uniform tokens has at least this measure, by COL:G.1/lower"
SERIES = (
    "(1 - e^{-2}) sum of e^{-2 l} over the l from r y on, of which the least is at least r y, "
    "is at most e^{-2 r y}"
)


def shells(body: Term) -> Term:
    return bind("coordinates", (l,), body, (m,))


def within(height: Term) -> Term:
    """Whether a token lies in the cap of that height."""
    return Op("ind", (height - depth,))


@cache
def given() -> tuple[Theorem, ...]:
    """What is used of the numbers c_l = l, of the law of the tokens, and of their number."""
    series = Q * shells(exp(-2 * c) * Op("ind", (c / r - y,)))
    area = exp((d - 1) / 2 * log(eps)) / sqrt(2 * pi * d)
    return (
        assume("c_l >= 1", 1, "<=", c, every=(l,)),
        assume("c_l <= r", c, "<=", r, every=(l,)),
        assume("c_l = l: a geometric series", series, "<=", exp(-2 * r * y), every=(y,), argument=SERIES),
        assume(
            "the cap of height eps, as in Lemma G.1",
            area,
            "<=",
            mean(within(eps)),
            every=(eps,),
            argument=CAP,
        ),
        assume("n >= 45 sqrt(d) r^{d/2} log n", 45 * sqrt(d) * exp(d / 2 * log(r)) * log(n), "<=", n),
        assume("n > 5", 6, "<=", n),
    )


inside = within(c / r)
N, sigma = total(inside), mean(inside)
weight, gap = exp(-2 * c), caps.RATE * (n * sigma / 2 - N)


@cache
def area() -> Theorem:
    """(c_l/r)^{(d - 1)/2}/sqrt(2 pi d) <= sigma_l."""
    first, last, _, cap_area, _, _ = given()
    return instantiate(cap_area, {eps: c / r}, arithmetic(c / r, "<=", 1, first, last))


@cache
def many() -> Theorem:
    """16 log n <= n sigma_l, as 45 exceeds 16 sqrt(2 pi)."""
    first, last, _, _, tokens, _ = given()
    scale, long = log(r), arithmetic(0, "<=", log(r), first, last)
    ratio = arithmetic(-scale, "<=", log(c / r), first)
    low = show(-(d / 2) * scale, "<=", (d - 1) / 2 * log(c / r), ratio, long, scale, log(c / r))
    low = gcongr(exp(low.lhs), low)
    least = chain(gcongr(low.lhs / sqrt(2 * pi * d), low), area())
    return chain(
        show(16 * log(n), "<=", 45 * sqrt(d) / sqrt(2 * pi * d) * log(n)),
        gcongr(tokens.lhs * least.lhs, tokens),
        gcongr(n * least.lhs, least),
        n * sigma,
    )


@cache
def rare() -> Theorem:
    """E e^{(2/3)(n sigma_l/2 - N_l)} <= n^{-2}."""
    moment = instantiate(caps.moment(-1, Fraction(1, 2)), {at: ((k,), 1 - depth), cap: c / r}, given()[0])
    return chain(bind("prompt", (prompt,), exp(gap)), moment, exp(-(n * sigma) / 8), caps.rare(many()))


#: Sums over the caps with the weights e^{-2 c_l}: of 1, of half the mean numbers of tokens, of the
#: numbers, and of the exponentials.
ones, halves, numbers, powers = (shells(weight * e) for e in (1, n * sigma / 2, N, exp(gap)))


@cache
def mixture() -> Theorem:
    """(1 - e^{-2}) sum_l e^{-2 c_l} N_l <= g_0, by the geometric series at each token."""
    series = instantiate(given()[2], {y: depth})
    return chain(Q * numbers, integrate("sum", (k,), series, (prompt,)), g_0)


@cache
def convex() -> Theorem:
    """sum_l e^{-2 c_l} (1 + gap_l) <= sum_l e^{-2 c_l} e^{gap_l}."""
    line = instantiate(arithmetic(1 + u, "<=", exp(u)), {u: gap})
    each = gcongr(weight * line.lhs, line)
    return integrated("coordinates", (l,), each, ones + caps.RATE * (halves - numbers), powers, (m,))


#: gamma(d/2, 2, r) over r^{d/2}, and the bound of the lemma.
gamma = exp(-(d / 2) * log(r)) * shells(exp(d / 2 * log(c)) * weight)
bound = Q * n / sqrt(8 * exp(1) * pi * d) * gamma


@cache
def below_half() -> Theorem:
    """The bound is at most (1 - e^{-2}) sum_l e^{-2 c_l} n sigma_l/2."""
    first, last = given()[:2]
    ratio = arithmetic(log(c / r), "<=", 0, first, last)
    less = show(d / 2 * log(c / r) - Fraction(1, 2), "<=", (d - 1) / 2 * log(c / r), ratio)
    each = chain(
        gcongr(n * weight / 2 / sqrt(2 * pi * d) * exp(less.lhs), less),
        gcongr(n * weight / 2 * area().lhs, area()),
    )
    scaled = n * exp(Fraction(-1, 2)) / 2 / sqrt(2 * pi * d) * gamma
    part = integrated("coordinates", (l,), each, scaled, halves, (m,))
    return calc(bound, ("==", Q * scaled), ("<=", Q * halves, part, scaled))


def statement(factor: int | Fraction = 1) -> Statement:
    """g_0 is less than factor times the bound with probability at most 1/(2n)."""
    event = bind("prompt", (prompt,), Op("above", (Fraction(factor) * bound - g_0,)))
    return Statement(event, "<=", 1 / (2 * n), hypotheses(*given()))


@proves("COL:G.4/lower", statement)
@cache
def kernel_sums_from_below() -> Theorem:
    """P(g_0 < bound) <= n^{-2} <= 1/(2n): where g_0 is less, the mean of the gaps with the weights
    e^{-2 c_l} is positive, and so that of e^{gap_l} is at least 1.
    """
    less, more = Op("above", (bound - g_0,)), halves - numbers
    short = show(bound - g_0, "<=", Q * more, below_half(), mixture())
    some = Op("above", (short.rhs,))
    gaps = instantiate(arithmetic(0, "<=", Op("above", (Q * u,)) * u), {u: more})
    point = chain(
        gcongr(less * ones, short),
        show(some * ones, "<=", some * convex().lhs, gaps),
        gcongr(some * convex().lhs, convex()),
        instantiate(show(some * y, "<=", y), {y: powers}),
    )
    rarely, event = gcongr(weight * rare().lhs, rare()), bind("prompt", (prompt,), less)
    most = integrated("coordinates", (l,), rarely, bind("prompt", (prompt,), powers), ones * n**-2, (m,))
    found = chain(integrated("prompt", (prompt,), point, ones * event), most)
    return calc(event, ("<=", n**-2, found), ("<=", 1 / (2 * n), given()[-1]))
