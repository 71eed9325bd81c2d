"""Corollary G.5 of Collins et al. for large widths: g_p is of the order n r^{-(d - 1 + p)/2}.

From below by the tokens of a ring around the query, from above by the method of Chernoff; both in
every dimension, with constants of the dimension. The width is r = 1 + rest, as every r that is at
least (d + sqrt d)/2 is above 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import X, d, j, k, mean, over, p, prompt, total
from proofs_check.derivations.window.uniform.cap_measure import (
    between,
    constant,
    constant_from_below,
    dimension,
    m,
    of_the_constant,
    pi,
    polar,
    power,
    q,
    s,
    x,
)
from proofs_check.derivations.window.uniform.cap_measure import height as along
from proofs_check.derivations.window.uniform.kernel_means import (
    depth,
    exponential,
    from_above,
    small_caps,
    sphere,
    up,
)
from proofs_check.derivations.window.uniform.kernel_means import p as width
from proofs_check.derivations.window.uniform.kernel_means import r as small

h, v = (Variable(name, range=POSITIVE) for name in ("rest", "v"))
#: The logarithm of the squared distance of a token and the query, which is fixed.
ell = Function("D", (Sort.TOKEN,))
distance = exp(ell(k))
u, y = (Variable(name, range=REALS) for name in "uy")
w = Variable("w", range=Range(Fraction(0), Fraction(1), False, False))
r = 1 + h


def kernel_at(width: Term) -> Term:
    """|x_k - x|^p e^{-width |x_k - x|^2}."""
    return exp(p / 2 * ell(k)) * exp(-width * distance)


half = distance / 2
g_p = total(kernel_at(r))
#: The inner end of the ring, over 1/r, whether a token lies in the ring, and how many do.
inner = 2 / m * log(constant / (16 * (1 + constant)))
eps = Defined("c_0", exp(inner) / 6)
near, far = Op("ind", (1 / r - half,)), Op("ind", (half - eps / r,))
ring = near * far
share, tokens = Defined("pi_r", mean(ring)), total(ring)


@cache
def large() -> tuple[Theorem, Theorem, Theorem]:
    return (
        assume("r >= (d + sqrt d)/2", (d + sqrt(d)) / 2, "<=", r),
        assume("n > 5", 6, "<=", n),
        assume("n >= 45 sqrt(d) r^{d/2} log n", 45 * sqrt(d) * exp(d / 2 * log(r)) * log(n), "<=", n),
    )


@cache
def apart() -> Theorem:
    square = over((X(j, k) - x(j, q)) ** 2)
    return assume("|x_k - x|^2 = e^{D_k}: no token is the query", square, "==", distance, every=(k, q))


@cache
def as_depth() -> Theorem:
    """1 - x_k.x = |x_k - x|^2/2, for a query that is fixed."""
    token, query = sphere()
    return calc(
        depth,
        ("==", apart().lhs / 2 + 1 - token.lhs / 2 - query.lhs / 2),
        ("==", half, apart(), *sphere()),
    )


@cache
def ring_from_below() -> Theorem:
    """7/8 C r^{-m/2} <= the measure of the ring 1 - x_k.x in [eps/r, 1/r]."""
    cotangent = h / sqrt(1 + 2 * h)
    wide = instantiate(between()[0], {s: cotangent})
    least = arithmetic(1 / r, "<=", 1 / (1 + cotangent**2))
    end = arithmetic(cotangent / sqrt(1 + cotangent**2), "==", h / r)
    wide = chain(gcongr(constant * power(1 / r), least), wide, gcongr(wide.rhs, end))
    moved = show(along - h / r, "<=", 1 / r - half, as_depth(), along, distance)
    wide = chain(wide, integrate("mean", (k,), gcongr(Op("ind", (along - h / r,)), moved)))
    few = instantiate(small_caps(), {small: 2 * eps / r})
    moved = show(eps / r - half, "<=", along - (1 - 2 * eps / r / 2), as_depth(), along, distance)
    few = chain(integrate("mean", (k,), gcongr(Op("ind", (eps / r - half,)), moved)), few)
    logs = instantiate(arithmetic(log(exp(u) * v), "==", u + log(v)), {u: inner, v: 1 / r})
    part = arithmetic(constant / (16 * (1 + constant)), "<=", constant / 16)
    few = calc(
        few,
        ("==", 2 * exp(m / 2 * log(exp(inner) * (1 / r)))),
        (
            "<=",
            2 * exp(m / 2 * (inner + log(1 / r))),
            gcongr(2 * exp(m / 2 * log(exp(inner) * (1 / r))), logs),
        ),
        ("==", 2 * (constant / (16 * (1 + constant))) * power(1 / r)),
        ("<=", constant / 8 * power(1 / r), gcongr(2 * part.lhs * power(1 / r), part)),
    )
    split = arithmetic(Op("ind", (u,)), "<=", Op("ind", (u,)) * Op("ind", (y,)) + Op("ind", (-y,)))
    split = integrate("mean", (k,), instantiate(split, {u: 1 / r - half, y: half - eps / r}))
    last = constant * power(1 / r)
    both = chain(wide, split, gcongr(share + few.lhs, few), share + last / 8)
    return show(Fraction(7, 8) * last, "<=", share, both, last, share)


@cache
def many() -> Theorem:
    """48 sqrt(d) log n <= n r^{-m/2}, as sqrt(r) >= 16/15."""
    wide, _, number = large()
    plane = arithmetic(2, "<=", d, dimension())
    root = arithmetic(Fraction(16, 15), "<=", sqrt(r), wide, plane)
    logs = show(m / 2 * log(r) + log(r) / 2, "<=", d / 2 * log(r), dimension(), log(r))
    return calc(
        48 * sqrt(d) * log(n),
        ("<=", 45 * sqrt(d) * sqrt(r) * log(n), root),
        ("==", 45 * sqrt(d) * exp(m / 2 * log(r) + log(r) / 2) * log(n) * power(1 / r)),
        ("<=", number.lhs * power(1 / r), logs),
        ("<=", n * power(1 / r), number),
    )


@cache
def many_in_the_ring() -> Theorem:
    """16 log n <= n pi."""
    least = gcongr(Fraction(7, 8) * constant_from_below().lhs * power(1 / r), constant_from_below())
    least = chain(least, ring_from_below())
    return calc(
        16 * log(n),
        ("<=", 42 * sqrt(d) / sqrt(2 * pi * d) * log(n)),
        ("==", Fraction(7, 8) / sqrt(2 * pi * d) * many().lhs),
        ("<=", Fraction(7, 8) / sqrt(2 * pi * d) * many().rhs, many()),
        ("==", n * least.lhs),
        ("<=", n * share, least),
    )


@cache
def rare() -> Theorem:
    """E e^{2(n pi/2 - N)/3} <= 1/(4n), as e^{-2y/3} is below its chord."""
    rate = Fraction(2, 3)
    chord = arithmetic(exp(-rate * w), "<=", 1 - (1 - exp(-rate)) * w)
    chord = instantiate(chord, {w: ring}, show(ring, "<=", 1), show(0, "<=", ring))
    one = calc(
        integrate("mean", (k,), chord),
        ("==", 1 - (1 - exp(-rate)) * share),
        (
            "<=",
            exp(-(1 - exp(-rate)) * share),
            instantiate(arithmetic(1 + u, "<=", exp(u)), {u: -(1 - exp(-rate)) * share}),
        ),
    )
    return calc(
        bind("prompt", (prompt,), exp(rate * (n * share / 2 - tokens))),
        ("==", exp(rate * n * share / 2) * one.lhs**n),
        ("<=", exp(rate * n * share / 2) * one.rhs**n, one),
        ("==", exp(n * share * (rate / 2 - 1 + exp(-rate)))),
        ("<=", exp(-n * share / 8), arithmetic(rate / 2 - 1 + exp(-rate), "<=", Fraction(-1, 8))),
        ("<=", exp(-16 * log(n) / 8), many_in_the_ring()),
        ("<=", n**-2),
        ("<=", 1 / (4 * n), large()[1]),
    )


def order(dimensions: int | Fraction) -> Term:
    """n r^{-(d - dimensions + p)/2}."""
    return n * exp(-(d - Fraction(dimensions) + p) / 2 * log(r))


#: The constants, of the dimension only.
C_low = Fraction(7, 16) * exp(-2) * constant * (2 * eps)
#: e^{-r |x_k - x|^2/2} and its mean.
light = exp(-r * half)
M = Defined("M", mean(light))
C_up = 1 + 2 * up * power(term(2))


@cache
def in_the_ring() -> Theorem:
    """A token of the ring adds at least e^{-2} 2 eps r^{-p/2} to g_p."""
    z = Variable("z", range=POSITIVE)
    weak = arithmetic(Op("ind", (1 / r - z / 2,)) * exp(-2), "<=", exp(-r * z))
    wide = arithmetic(Op("ind", (z / 2 - v,)) * (2 * v) ** (p / 2), "<=", z ** (p / 2))
    weak, wide = instantiate(weak, {z: distance}), instantiate(wide, {z: distance, v: eps / r})
    least = power_of_eps()
    return chain(
        exp(-2) * least.lhs * ring,
        near * exp(-2) * (far * least.lhs),
        gcongr(near * exp(-2) * (far * least.lhs), least),
        gcongr(near * exp(-2) * wide.lhs, weak, wide),
        kernel_at(r),
    )


@cache
def power_of_eps() -> Theorem:
    """2 eps r^{-p/2} <= (2 eps/r)^{p/2}, as 2 eps <= 1."""
    part = Variable("part", range=Range(Fraction(0), Fraction(1), True, False))
    found = arithmetic(part * exp(-p / 2 * log(v)), "<=", (2 * (part / 2 / v)) ** (p / 2))
    below = arithmetic(log(constant / (16 * (1 + constant))), "<=", 0)
    size = show(inner, "<=", 0, below, below.lhs, m)
    size = calc(2 * eps, ("==", exp(inner) / 3), ("<=", exp(term(0)) / 3, size), ("<=", term(1)))
    return chain(instantiate(found, {part: 2 * eps, v: r}, size), (2 * (eps / r)) ** (p / 2))


@cache
def given() -> tuple[Theorem, ...]:
    """Uniform tokens, of which none is the query, and the range of the width."""
    return (*sphere(), apart(), *polar()[1:], dimension(), *large())


def statements(dimensions: int | Fraction = 1) -> tuple[Statement, Statement]:
    """g_p is below c n r^{-(d - dimensions + p)/2}, or above C n r^{-(d - dimensions + p)/2}, with
    probability at most 1/(4n) each.
    """
    rarely = lambda gap, of: Statement(
        bind("prompt", (prompt,), Op("above", (gap,))), "<=", 1 / (4 * n), hypotheses(*given(), *of)
    )
    return (
        rarely(C_low * order(dimensions) - g_p, (polar()[0], *of_the_constant())),
        rarely(g_p - C_up * order(dimensions), exponential()),
    )


@cache
def in_order() -> Theorem:
    """n r^{-m/2} r^{-p/2} <= n r^{-(d - 1 + p)/2}."""
    exponent = show(-(m + p) / 2 * log(r), "<=", -(d - 1 + p) / 2 * log(r), dimension(), log(r))
    return gcongr(n * exp(exponent.lhs), exponent)


@cache
def above() -> Theorem:
    return arithmetic(Op("above", (u,)), "<=", exp(v * u))


@cache
def of_the_order() -> Theorem:
    """n r^{-m/2} r^{-p/2} = n r^{-(d - 1 + p)/2}."""
    exponent = show(-(d - 1 + p) / 2 * log(r), "<=", -(m + p) / 2 * log(r), dimension(), log(r))
    return gcongr(order(1), exponent)


@proves("COL:G.5/large", statements, part=1)
@cache
def sums_from_below() -> Theorem:
    """With at least n pi/2 tokens in the ring g_p is at least c n r^{-(d - 1 + p)/2}."""
    rate, gap = exp(-2) * power_of_eps().lhs, n * share / 2 - tokens
    all_ = chain(rate * tokens, integrate("sum", (k,), in_the_ring(), (prompt,)), g_p)
    least = gcongr(rate * n / 2 * ring_from_below().lhs, ring_from_below())
    least = chain(gcongr(C_low * order(1), of_the_order()), least, rate * (n * share / 2))
    less = show(
        C_low * order(1) - g_p, "<=", rate * gap, least, all_, C_low * order(1), g_p, rate, share, tokens
    )
    event = instantiate(above(), {u: less.lhs, v: Fraction(2, 3) / rate})
    event = chain(event, gcongr(event.rhs, less), exp(Fraction(2, 3) * gap))
    return chain(integrate("prompt", (prompt,), event), rare())


@proves("COL:G.5/large", statements, part=2)
@cache
def sums_from_above() -> Theorem:
    """g_p r^{p/2} is at most the sum of e^{-r |x_k - x|^2/2}, whose exponential has a mean of at
    most e^{2 c_2 n (r/2)^{-m/2}}.
    """
    scale = exp(-p / 2 * log(r))
    S, most = total(light), C_up * (n * power(1 / r))
    logs = arithmetic(u + log(v), "==", log(exp(u) * v))
    logs = chain(logs, instantiate(arithmetic(log(v), "<=", v / 2), {v: exp(u) * v}))
    logs = instantiate(logs, {u: ell(k), v: r})
    power_ = show(p / 2 * (ell(k) + log(r)), "<=", r * distance / 2, logs, ell(k) + log(r), distance)
    scaled = scale * exp(p / 2 * (ell(k) + log(r)) - r * distance)
    one = chain(kernel_at(r), gcongr(scaled, power_), scale * light)
    all_ = chain(g_p, integrate("sum", (k,), one, (prompt,)), scale * S)
    less = chain(gcongr(g_p - C_up * order(1), all_, in_order()), scale * (S - most))
    event = instantiate(above(), {u: less.lhs, v: 1 / scale})
    rest = Op("max", (term(0), 1 - light))
    same = instantiate(arithmetic(w, "<=", 1 - Op("max", (term(0), 1 - w))), {w: light}, show(light, "<=", 1))
    same = integrate("sum", (k,), same, (prompt,))
    same = chain(S, same, n - total(rest))
    chord = arithmetic(exp(-Op("max", (term(0), 1 - w))), "<=", exp(-1) * (1 + 2 * w))
    chord = integrate("mean", (k,), instantiate(chord, {w: light}, show(light, "<=", 1)))
    chord = calc(
        chord,
        ("==", exp(-1) * (1 + 2 * M)),
        ("<=", exp(2 * M - 1), instantiate(arithmetic(1 + u, "<=", exp(u)), {u: 2 * M})),
    )
    event = chain(
        event,
        gcongr(event.rhs, less),
        exp(S - most),
        gcongr(exp(S - most), same),
        exp(n - most - total(rest)),
    )
    moments = chain(integrate("prompt", (prompt,), event), exp(n - most) * chord.lhs**n)
    return calc(
        moments,
        ("<=", exp(n - most) * chord.rhs**n, chord),
        ("==", exp(2 * n * M - most)),
        ("<=", exp(2 * n * light_mean().rhs - most), light_mean()),
        ("==", exp(-(n * power(1 / r)))),
        ("<=", exp(-(48 * sqrt(d) * log(n))), gcongr(exp(-(n * power(1 / r))), many())),
        ("<=", exp(-2 * log(n)), show(-(48 * sqrt(d) * log(n)), "<=", -2 * log(n))),
        ("<=", n**-2),
        ("<=", 1 / (4 * n), large()[1]),
    )


@cache
def light_mean() -> Theorem:
    """E e^{-r |x_k - x|^2/2} <= c_2 (r/2)^{-m/2}."""
    found = instantiate(from_above(), {width: r / 2})
    exponent = show(-r * half, "<=", -2 * (r / 2) * depth, as_depth(), depth, half)
    own = integrate("mean", (k,), gcongr(exp(-r * half), exponent))
    return chain(M, own, found, up * (power(term(2)) * power(1 / r)))
