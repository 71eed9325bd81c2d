"""Lemma D.1 of Collins et al.: the noise term has the order w^{(d - 1)/2}/n in every dimension,
with constants that are built of those of the mean weight.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Defined, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, k, mean, prompt, total
from proofs_check.derivations.window.uniform.cap_measure import dimension, m, polar, power, q
from proofs_check.derivations.window.uniform.kernel_means import (
    deep,
    depth,
    exponential,
    from_above,
    from_below,
    low,
    p,
    sphere,
    up,
    w,
    weight,
)

a, b, t, u, v = (Variable(name, range=POSITIVE) for name in "abtuv")
y = Variable("y", range=REALS)
W = weight(w)
#: The sum of the weights, their mean, that of their squares, and one over the tokens in the window.
S = Defined("S", total(W))
m0, m2 = Defined("m0", mean(W)), Defined("m2", mean(W**2))
eps = Defined("eps", m2 / (n * m0**2))
squares = total(W**2)
weights_squared = squares / S**2


def prompts(e: Term) -> Term:
    return bind("prompt", (prompt,), e)


noise = prompts(weights_squared)
few = Op("above", (n * m0 / 2 - S,))


@cache
def light() -> Theorem:
    """W <= 1."""
    near = Variable("D", range=NONNEGATIVE)
    return instantiate(arithmetic(exp(-2 * w * near), "<=", 1), {near: depth}, deep())


@cache
def at_least() -> Theorem:
    """n E W^2/(1 + n E W)^2 <= E sum gamma^2: s^{-2} is above its tangent at 1 + n E W, and
    W^3 <= W^2.
    """
    near = 1 + n * m0
    tangent = instantiate(arithmetic(3 / a**2 - 2 * b / a**3, "<=", 1 / b**2), {b: S, a: near})
    point = gcongr(squares * tangent.lhs, tangent)
    share = Variable("theta", range=Range(Fraction(0), Fraction(1), True, False))
    cube = instantiate(arithmetic(share**3, "<=", share**2), {share: W}, light())
    cube = chain(integrate("mean", (k,), cube), m2)
    pairs = lambda third: 3 * n * m2 / near**2 - 2 / near**3 * (n * third + n * (n - 1) * m2 * m0)
    return calc(
        n * m2 / near**2,
        ("<=", pairs(m2)),
        ("<=", pairs(cube.lhs), cube, cube.lhs, m2, m0),
        ("==", prompts(squares * tangent.lhs)),
        ("<=", noise, integrate("prompt", (prompt,), point)),
    )


@cache
def rare() -> Theorem:
    """P(S < n E W/2) <= e^{-1/(8 eps)}, by Chernoff's method with e^{-y} <= 1 - y + y^2/2."""
    point = instantiate(arithmetic(Op("above", (y,)), "<=", exp(u * y)), {y: n * m0 / 2 - S, u: t})
    second = -t * m0 + t**2 * m2 / 2
    parabola = instantiate(arithmetic(exp(-u), "<=", 1 - u + u**2 / 2), {u: t * W})
    single = calc(
        mean(exp(-t * W)),
        ("<=", 1 - t * m0 + t**2 * m2 / 2, parabola),
        ("<=", exp(second), instantiate(arithmetic(1 + y, "<=", exp(y)), {y: second})),
    )
    tail = calc(
        integrated("prompt", (prompt,), point, prompts(few), exp(t * n * m0 / 2) * mean(exp(-t * W)) ** n),
        ("<=", exp(-t * n * m0 / 2 + t**2 * n * m2 / 2), single),
    )
    return chain(instantiate(tail, {t: m0 / (2 * m2)}), exp(-1 / (8 * eps)))


@cache
def at_most() -> Theorem:
    """E sum gamma^2 <= 7 eps: with at least half of the weight it is at most 4 sum W^2/(n E W)^2,
    and it is at most 1 always.
    """
    l = Variable("l", Sort.TOKEN)
    pairs = bind("sum", (k, l), W * instantiated(W, {k: l}), (prompt,))
    all_ = calc(squares, ("<=", squares + pairs), ("==", S**2))
    one = show(weights_squared, "<=", 1, all_, squares)
    r, s, x = (Variable(name, range=POSITIVE) for name in "rsx")
    split = arithmetic(r / s**2, "<=", 4 * r / x**2 + Op("above", (x / 2 - s,)) * (r / s**2))
    split = instantiate(split, {r: squares, s: S, x: n * m0})
    point = chain(split, gcongr(split.rhs, one))
    tail = instantiate(arithmetic(exp(-1 / (8 * v)), "<=", 3 * v), {v: eps})
    event = prompts(few)
    return calc(
        chain(integrate("prompt", (prompt,), point), 4 * eps + event),
        ("<=", 4 * eps + exp(-1 / (8 * eps)), rare()),
        ("<=", 7 * eps, tail, eps, tail.lhs),
    )


@cache
def orders(at: Term, wide: Theorem) -> tuple[Theorem, Theorem, Theorem, Theorem]:
    """c_1 (2w)^{-m/2} <= E W <= c_2 w^{-m/2} and c_1 (3w)^{-m/2} <= E W^2 <= c_2 (2w)^{-m/2} at a
    width that is at least 1.
    """
    first, second = (instantiated(e, {w: at}) for e in (m0, m2))
    below, above = ([instantiate(f(), {p: x}) for x in (at, 2 * at)] for f in (from_below, from_above))
    narrower = lambda times, x: gcongr(
        low * power(1 / (times * at)), arithmetic(1 / (times * at), "<=", 1 / (1 + x), wide, hide=(at,))
    )
    return (
        chain(narrower(2, at), below[0], first),
        chain(first, above[0]),
        chain(narrower(3, 2 * at), below[1], second),
        chain(second, above[1]),
    )


#: The variance of the noise, and the noise term, in the mean over the queries.
sigma = Variable("sigma", range=POSITIVE)
noise_term = bind("query", (q,), sigma**2 * instantiated(noise, {w: p}))
#: The constants of both bounds.
least, most = low * power(term(Fraction(1, 3))) / (1 + up) ** 2, 7 * (up / low**2) * power(term(2))


@cache
def given() -> tuple[Theorem, ...]:
    """The law of the tokens and of what is built of it, and the dimension."""
    return (*sphere(), *exponential(), *polar(), dimension())


@cache
def in_the_range() -> tuple[Theorem, Theorem, Theorem]:
    return (
        assume("n >= 2", 2, "<=", n),
        assume("w > d + sqrt d", d + sqrt(d), "<", p),
        assume("w < (n/log n)^{2/d}", exp(d / 2 * log(p)) * log(n), "<", n),
    )


def lower_statement(dimensions: int | Fraction = 1) -> Statement:
    """c sigma^2 w^{(d - dimensions)/2}/n <= the noise, for d + sqrt d < w < (n/log n)^{2/d}."""
    bound = least * sigma**2 * exp((d - Fraction(dimensions)) / 2 * log(p)) / n
    return Statement(bound, "<=", noise_term, hypotheses(*given(), *in_the_range()))


def upper_statement(less: int = 0) -> Statement:
    """The noise term is at most C sigma^2 (1 + w^{(d - less)/2})/n, for w > d + sqrt d."""
    bound = most * sigma**2 * (1 + exp((d - less) / 2 * log(p))) / n
    return Statement(noise_term, "<=", bound, hypotheses(*given(), in_the_range()[1]))


@cache
def lower_bound(at: Term, wide: Theorem, enough: Theorem) -> Theorem:
    """c w^{m/2}/n <= E sum gamma^2 at a width of at least 1 with 1 <= n w^{-m/2}."""
    _, above, below, _ = orders(at, wide)
    scale = power(1 / at)
    here, first, second = n * scale, above.lhs, below.rhs
    many = calc(gcongr(1 + n * first, enough, above), ("==", (1 + up) * here))
    squares_ = calc(
        low * power(term(Fraction(1, 3))) * here, ("==", n * below.lhs), ("<=", n * second, below)
    )
    bound = instantiate(at_least(), {w: at})
    return calc(
        least * power(at) / n,
        ("==", squares_.lhs / many.rhs**2),
        ("<=", squares_.rhs / many.rhs**2, squares_),
        ("<=", squares_.rhs / (1 + n * first) ** 2, many, squares_.rhs, many.lhs, many.rhs),
        ("<=", bound.rhs, bound),
    )


@cache
def upper_bound(at: Term, wide: Theorem) -> Theorem:
    """E sum gamma^2 <= C w^{m/2}/n at a width of at least 1."""
    below, _, _, above = orders(at, wide)
    bound = instantiate(at_most(), {w: at})
    return calc(
        bound,
        ("==", 7 * above.lhs / n * below.rhs**-2),
        ("<=", 7 * above.rhs / n * below.lhs**-2, above, below),
        ("==", most * power(at) / n),
    )


@cache
def wide() -> Theorem:
    """3 <= w."""
    plane = arithmetic(2, "<=", d, dimension())
    return calc(3, ("<=", d + sqrt(d), arithmetic(3, "<=", d + sqrt(d), plane)), ("<=", p, in_the_range()[1]))


@proves("COL:D.1/lower", lower_statement)
@cache
def noise_from_below() -> Theorem:
    """c sigma^2 w^{(d - 1)/2}/n <= the noise term: in the range n w^{-m/2} >= sqrt(w) log n."""
    many, _, short = in_the_range()
    larger, root = (
        arithmetic(Fraction(2, 3), "<=", log(n), many),
        arithmetic(Fraction(3, 2), "<=", sqrt(p), wide()),
    )
    grown = gcongr(exp((m + 1) / 2 * log(p)), show((m + 1) / 2 * log(p), "<=", d / 2 * log(p), dimension()))
    product = show(1, "<=", sqrt(p) * log(n), larger, root, sqrt(p), log(n))
    enough = calc(
        power(p),
        ("<=", power(p) * (sqrt(p) * log(n)), gcongr(power(p) * 1, product)),
        ("==", grown.lhs * log(n)),
        ("<=", grown.rhs * log(n), grown),
        ("<=", n, short),
    )
    enough = chain(1, gcongr(power(1 / p) * power(p), enough), n * power(1 / p))
    bound = lower_bound(p, show(1, "<=", p, wide()), enough)
    power_ = show((d - 1) / 2 * log(p), "<=", m / 2 * log(p), dimension())
    return calc(
        gcongr(lower_statement().lhs, power_),
        ("==", bind("query", (q,), sigma**2 * bound.lhs)),
        ("<=", noise_term, bound),
    )


@proves("COL:D.1/upper", upper_statement)
@cache
def noise_from_above() -> Theorem:
    """The noise term is at most C sigma^2 w^{m/2}/n, and m < d."""
    bound = upper_bound(p, show(1, "<=", p, wide()))
    logs = show(0, "<=", log(p), wide())
    more = gcongr(power(p), show(m / 2 * log(p), "<=", d / 2 * log(p), dimension(), logs, log(p)))
    return calc(
        chain(
            noise_term,
            integrate("query", (q,), gcongr(sigma**2 * bound.lhs, bound)),
            most * sigma**2 * power(p) / n,
        ),
        ("<=", most * sigma**2 * exp(d / 2 * log(p)) / n, more),
        ("<=", upper_statement().rhs),
    )
