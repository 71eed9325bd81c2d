"""Lemma G.4 of Collins et al. from above, with the dimension d - 1 of the sphere: each token adds
at most what the smallest cap that holds it does.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, k, mean, p, prompt, r, total
from proofs_check.derivations.window.uniform.cap_measure import dimension, m, polar
from proofs_check.derivations.window.uniform.kernel_means import sphere
from proofs_check.derivations.window.uniform.kernel_sum_order import apart, half
from proofs_check.derivations.window.uniform.sums.from_below import (
    enough,
    g_p,
    is_rare,
    kernel,
    same_sign,
    weight,
)
from proofs_check.derivations.window.uniform.sums.numbers import M, above, c, ind, l, numbers, over_numbers, y
from proofs_check.derivations.window.uniform.sums.rings import caps_from_above, coordinates, depth, within

RATE, SHARE = Fraction(3, 10), Fraction(27, 20)
inside = within(c / r)
N, sigma = total(inside), mean(inside)
#: Twice the bound of the share of a cap, and its logarithm over (d - 1)/2.
log_wide = log(2 * c / r)
wide = exp((d - 1) / 2 * log_wide)
gap = RATE * (N - SHARE * n * wide / 2)
u, t = (Variable(name, range=REALS) for name in "ut")
Y, C = (Variable(name, range=POSITIVE) for name in "YC")
deep = r * half
last = exp(p / 2 * log(2 * M / r)) * exp(-2 * M)


@cache
def whole_part() -> tuple[Theorem, ...]:
    """M is the whole part of r, and each y up to M is at most 1 below one of the numbers."""
    near = over_numbers(ind(c - y) * ind(y + 1 - c))
    return (
        assume("r <= M + 1", r, "<=", M + 1),
        assume("c_l <= M", c, "<=", M, every=(l,)),
        assume("of 1, .., M one lies in [y, y + 1] for 0 <= y <= M", ind(M - y), "<=", near, every=(y,)),
    )


@cache
def farther() -> Theorem:
    """(Y/C)^{p/2} <= 1 for Y <= C."""
    own = p / 2 * (log(Y) - log(C))
    less = arithmetic(ind(C - Y) * own, "<=", 0)
    inner = instantiate(show(ind(t) * exp(u), "==", ind(t) * exp(ind(t) * u)), {t: C - Y, u: own})
    return calc(inner, ("<=", ind(C - Y) * exp(term(0)), less), ("==", ind(C - Y)))


@cache
def near_tokens() -> Theorem:
    """A token not deeper than M/r adds at most e^2 times the weights of the caps with it."""
    steep = arithmetic(ind(Y + 1 - C) * exp(2 * (C - Y)), "<=", exp(2))
    steep, less = (instantiate(thm, {Y: deep, C: c}) for thm in (steep, farther()))
    each = calc(
        kernel * (ind(c - deep) * ind(deep + 1 - c)),
        ("==", weight * less.lhs * steep.lhs),
        ("<=", weight * less.rhs * steep.rhs, less, steep),
        ("==", exp(2) * weight * inside, instantiate(same_sign()[0], {u: c / r - half})),
    )
    near = instantiate(whole_part()[2], {y: deep})
    return chain(
        gcongr(kernel * near.lhs, near),
        integrate("coordinates", (l,), each, (M,)),
        exp(2) * over_numbers(weight * inside),
    )


@cache
def one_token() -> Theorem:
    """A token adds at most e^2 times the weights of the caps with it, and what one at the depth M/r
    adds.
    """
    far = arithmetic(above(Y - M) * (p / 2 * (log(Y) - log(M)) - 2 * (Y - M)), "<=", 0)
    inner = show(above(t) * exp(u), "==", above(t) * exp(above(t) * u))
    inner = instantiate(inner, {t: deep - M, u: p / 2 * (log(deep) - log(M)) - 2 * (deep - M)})
    far = instantiate(far, {Y: deep})
    rest = calc(
        kernel * above(deep - M),
        ("==", last * inner.lhs),
        ("==", last * inner.rhs, inner),
        ("<=", last * (above(deep - M) * exp(term(0))), far),
        ("<=", last),
    )
    split = show(kernel, "==", kernel * ind(M - deep) + kernel * above(deep - M))
    return chain(split, gcongr(split.rhs, near_tokens(), rest))


@cache
def share_of_a_cap() -> Theorem:
    """sigma_l <= (2 c_l/r)^{(d - 1)/2}/2."""
    at = log(r) - log(c)
    found = instantiate(caps_from_above(), {depth: at}, show(0, "<=", at, gcongr(log(c), numbers()[1])))
    same = arithmetic(exp(-at), "==", c / r)
    exponent = show(m / 2 * log_wide, "<=", (d - 1) / 2 * log_wide, dimension(), log_wide)
    return calc(
        sigma,
        ("==", found.lhs, same),
        ("<=", found.rhs, found),
        ("==", exp(m / 2 * log_wide) / 2, same),
        ("<=", wide / 2, exponent),
    )


@cache
def many() -> Theorem:
    """45 log n <= n (2 c_l/r)^{(d - 1)/2}/2, as n r^{-d/2} >= 45 sqrt(d) log n."""
    first, last_, _ = numbers()
    scale, long = log(r), arithmetic(0, "<=", log(r), first, last_)
    two = arithmetic(log(2 / r), "<=", log_wide, first)
    plane = show(2, "<=", d, dimension())
    half_ = arithmetic(log(2 / r), "==", log(term(2)) - log(r))
    low = show(
        log(term(2)) / 2 - d / 2 * scale,
        "<=",
        (d - 1) / 2 * log_wide,
        two,
        half_,
        long,
        plane,
        scale,
        log_wide,
        log(2 / r),
        log(term(2)),
    )
    low = gcongr(exp(low.lhs), low)
    tokens = enough()[1]
    return calc(
        45 * log(n),
        ("<=", 45 * sqrt(d) * log(n) * exp(log(term(2)) / 2) / 2, plane),
        ("==", tokens.lhs * low.lhs / 2),
        ("<=", n * low.lhs / 2, tokens),
        ("<=", n * wide / 2, low),
    )


@cache
def rare() -> Theorem:
    """E e^{(3/10)(N_l - 27/20 n wide_l/2)} <= 1/(4n), as e^{3y/10} is below its chord."""
    # The kernel sees that e^{-y max(0, 1 - b)} is bounded, and not that e^{yb} is.
    rest = Op("max", (term(0), 1 - inside))
    missing = bind("sum", (k,), rest, (prompt,))
    same = integrate("sum", (k,), show(inside, "==", 1 - rest), (prompt,))
    same = chain(N, same, n - missing)
    each = arithmetic(exp(-RATE * rest), "==", exp(-RATE) * (1 + (exp(term(RATE)) - 1) * inside))
    less = instantiate(arithmetic(1 + u, "<=", exp(u)), {u: (exp(term(RATE)) - 1) * sigma})
    single = calc(
        mean(exp(-RATE * rest)),
        ("==", exp(-RATE) * (1 + (exp(term(RATE)) - 1) * sigma), each),
        ("<=", exp(-RATE) * less.rhs, less),
    )
    rate = arithmetic(exp(term(RATE)) - 1 - RATE * SHARE, "<=", Fraction(-11, 200))
    grown = arithmetic(0, "<=", exp(term(RATE)) - 1)
    return calc(
        bind("prompt", (prompt,), exp(gap)),
        ("==", bind("prompt", (prompt,), exp(RATE * (n - missing - SHARE * n * wide / 2))), same),
        ("==", exp(RATE * n - RATE * SHARE * n * wide / 2) * single.lhs**n),
        ("<=", exp(RATE * n - RATE * SHARE * n * wide / 2) * single.rhs**n, single),
        ("==", exp(n * ((exp(term(RATE)) - 1) * sigma) - RATE * SHARE * n * wide / 2)),
        (
            "<=",
            exp(n * ((exp(term(RATE)) - 1) * (wide / 2)) - RATE * SHARE * n * wide / 2),
            share_of_a_cap(),
            grown,
        ),
        ("==", exp(n * wide / 2 * rate.lhs)),
        ("<=", exp(-Fraction(11, 200) * (n * wide / 2)), rate),
        ("<=", exp(-Fraction(11, 200) * (45 * log(n))), many()),
        ("<=", 1 / (4 * n), enough()[0]),
    )


#: Sums over the numbers with the weights: of the bounds of the shares of caps, and of the numbers
#: of tokens.
wides, counts = (over_numbers(weight * e) for e in (wide, N))


@cache
def at_the_end() -> Theorem:
    """What a token at the depth M/r adds is at most the sum of wide_l weight_l, of which it is a
    part: 2M >= r.
    """
    long, short, near = whole_part()
    near, less = instantiate(near, {y: M}), instantiate(farther(), {Y: M, C: c})
    on, v = ind(c - M), (d - 1) / 2 * log_wide
    inner = instantiate(show(ind(t) * exp(u), "==", ind(t) * exp(ind(t) * u)), {t: c - M})
    plane = show(1, "<=", d, dimension())
    line = instantiate(arithmetic(1 - 1 / Y, "<=", log(Y)), {Y: 2 * C / r})
    least = arithmetic(0, "<=", ind(C - M) * (1 - 1 / (2 * C / r)), long)
    least = instantiate(chain(least, gcongr(least.rhs, line)), {C: c})
    least = show(0, "<=", (d - 1) / 2 * least.rhs, least, plane, least.rhs)
    wider = calc(
        on,
        ("==", on * exp(term(0))),
        ("<=", on * exp(on * v), least),
        ("==", on * exp(v), instantiate(inner, {u: v})),
        ("<=", wide),
    )
    each = calc(
        last * (on * ind(M + 1 - c)),
        ("<=", last * on),
        ("==", weight * less.lhs * exp(2 * c - 2 * M)),
        ("<=", weight * less.rhs * exp(2 * c - 2 * M), less),
        ("<=", weight * on * exp(term(0)), show(2 * c - 2 * M, "<=", 0, short)),
        ("<=", weight * wide, wider),
    )
    start = show(last, "==", last * near.lhs)
    return chain(start, gcongr(start.rhs, near), integrate("coordinates", (l,), each, (M,)), wides)


#: gamma((d - 1 + p)/2, 2, r), and the bound of the lemma over its constant.
def bound(dimensions: int | Fraction) -> Term:
    power = (d - Fraction(dimensions) + p) / 2
    return n * exp(power * log(2 / r)) * over_numbers(exp(power * log(c)) * exp(-2 * c))


@cache
def sums_over_caps() -> Theorem:
    """g_p <= e^2 sum_l weight_l N_l + n sum_l wide_l weight_l."""
    all_ = integrate("sum", (k,), one_token(), (prompt,))
    all_ = chain(g_p, all_, exp(2) * counts + n * last)
    return chain(all_, gcongr(all_.rhs, at_the_end()))


def statement(dimensions: int | Fraction = 1, three: int | Fraction = 6) -> Statement:
    """g_p is more than three n (2/r)^q gamma(q, 2, r) for q = (d - dimensions + p)/2 with
    probability at most 1/(4n).
    """
    event = bind("prompt", (prompt,), above(g_p - Fraction(three) * bound(dimensions)))
    uniform = (*sphere(), apart(), *polar()[2:], coordinates(), dimension())
    given = hypotheses(*numbers()[:2], *whole_part(), *enough(), *uniform)
    return Statement(event, "<=", 1 / (4 * n), given)


@proves("COL:G.4/upper", statement)
@cache
def sums_from_above() -> Theorem:
    """Where g_p is more, the weighted mean of the gaps is positive."""
    more = counts - SHARE * n / 2 * wides
    same = show(g_p - 6 * bound(1), "==", g_p - 6 * (n * wides))
    short = gcongr(same.rhs, sums_over_caps())
    short = chain(same, short, arithmetic(short.rhs, "<=", exp(2) * more, hide=(wides, counts)))
    return is_rare(above(g_p - 6 * bound(1)), short, exp(2), more, gap, RATE, rare())
