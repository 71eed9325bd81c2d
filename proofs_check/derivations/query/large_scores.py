"""R4.B from below at every lambda: with the probability e^{-B^2/2 - 2B}/2 the query has an s
between s1 and s2, where one token carries the error, so that the averaged error is at least
t (L/4) e^{theta^2 s1/2 - theta (a + w) - B^2/2 - 2B}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, symm
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gaussian, instantiate, integrate
from numerics.derivations.kernel.sorts import Range, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import above, ind, times
from proofs_check.derivations.linear_attention.softmax_errors.theorem_a import (
    mean_square,
    spread_is_not_negative,
    t,
)
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import GIVEN, STEIN, s
from proofs_check.derivations.proof import proves
from proofs_check.derivations.query.average import (
    D,
    at,
    at_the_query,
    lam,
    largest,
    put,
    queries,
    size,
    trace,
    u,
    y,
    zeta,
)
from proofs_check.derivations.query.near_the_token import error_in_the_window
from proofs_check.derivations.query.one_token import (
    GIVEN_NUMBERS,
    a,
    below_an_indicator,
    least,
    s1,
    s2,
    steep,
    tilt,
    v,
    width,
    window,
)
from proofs_check.derivations.softmax_average.gaussian_tokens import n

B = Variable("B", range=Range(Fraction(2)))
e = Function("e", (Sort.INDEX,))
over = lambda body: bind("coordinates", (n,), body, (D,))
along = over(e(n) * GAUSSIAN(n, zeta))
most = B**2 + 16 * B + 2 * D + 8

unit = assume("|e| = 1", over(e(n) ** 2), "==", 1)
top = assume(
    "e is an eigenvector of A for lambda", lam * over(e(n) * y(n)) ** 2, "<=", at(s, y(n)), every=(y,)
)
low = assume("s1 is at most lambda (B - 2)^2", s1, "<=", lam * (B - 2) ** 2)
high = assume("s2 is at least lambda (B^2 + 16 B + 2 D + 8)", lam * most, "<=", s2)
chance = exp(-(B**2) / 2 - 2 * B) / 2


def statement(half: int | Fraction = Fraction(1, 2)) -> Statement:
    """t (L/4) e^{half theta^2 s1 - theta (a + w) - B^2/2 - 2B} <= E."""
    given = hypotheses(*GIVEN, *STEIN, *GIVEN_NUMBERS, largest, unit, top, low, high)
    power = Fraction(half) * tilt**2 * s1 - tilt * (a + width) - B**2 / 2 - 2 * B
    return Statement(trace * L / 4 * exp(power), "<=", queries(mean_square), given)


@cache
def in_the_window() -> Theorem:
    """1{e.zeta >= B - 2} 1{|zeta|^2 <= M} <= 1{s1 <= s <= s2}."""
    here, start, end = at_the_query(s), ind(along - (B - 2)), ind(most - size)
    below = instantiate(largest, {y: ((n,), GAUSSIAN(n, zeta))})
    squares = instantiate(top, {y: ((n,), GAUSSIAN(n, zeta))})
    far = instantiate(arithmetic(ind(v - (B - 2)) * (B - 2) ** 2, "<=", ind(v - (B - 2)) * v**2), {v: along})
    short = instantiate(arithmetic(ind(most - u) * u, "<=", ind(most - u) * most), {u: size})
    first = calc(
        times(start, low),
        ("==", lam * far.lhs),
        ("<=", lam * far.rhs, times(lam, far)),
        ("==", start * squares.lhs),
        ("<=", start * here, times(start, squares)),
    )
    second = calc(
        times(end, below),
        ("==", lam * short.lhs),
        ("<=", lam * short.rhs, times(lam, short)),
        ("==", end * high.lhs),
        ("<=", end * s2, times(end, high)),
    )
    return arithmetic(start * end, "<=", at_the_query(window), first, second, hide=(here, along, size))


def queries_(body: Term) -> Term:
    """The mean over zeta."""
    return bind("normal", (zeta,), body)


@cache
def probability() -> Theorem:
    """e^{-B^2/2 - 2B}/2 is at most the probability of the window."""
    start, end = ind(along - (B - 2)), ind(most - size)
    inside = instantiate(below_an_indicator(), {v: along - (B - 2), width: term(4), tilt: B, steep: term(2)})
    gap_, half = along - (B - 2), term(Fraction(1, 2))
    long = exp(B / 2 * gap_) * exp((size - most) / 4)
    parts = (
        instantiate(arithmetic(ind(v), "<=", exp(B / 2 * v)), {v: gap_}),
        instantiate(arithmetic(above(u - most), "<=", exp((u - most) / 4)), {u: size}),
    )
    split = instantiate(arithmetic(1, "<=", ind(most - u) + above(u - most)), {u: size})
    point = calc(
        inside,
        ("==", start * 1),
        ("<=", start * (end + above(size - most)), split),
        ("==", start * end + start * above(size - most)),
        ("<=", start * end + long, *parts),
        ("<=", at_the_query(window) + long, in_the_window()),
    )
    linear = gaussian(zeta, n, D, v * e(n), equal(term(0) + 1, 1))
    linear = chain(queries_(exp(v * along)), linear, exp(v**2 * over(e(n) ** 2) / 2))
    linear = calc(linear, ("==", exp(v**2 / 2), unit, unit.lhs))
    square = gaussian(zeta, n, D, B / 2 * e(n), equal(half + half, 1))
    square = chain(
        queries_(exp(B / 2 * along) * exp(size / 4)),
        square,
        exp(D / 2 * log(term(2))) * exp(B**2 / 4 * over(e(n) ** 2)),
    )
    square = calc(square, ("==", exp(D / 2 * log(term(2))) * exp(B**2 / 4), unit, unit.lhs))
    scale, chance_ = exp(-B * (B + 2)), exp(-(B**2) / 2 - 2 * B)
    factors = scale, -scale * exp(2 * (B - 2)), -scale * exp(-2 * (B + 2))
    means = [instantiate(linear, {v: value}) for value in (term(B), B - 2, B + 2)]
    left, right = (
        sum((f * getattr(thm, side) for f, thm in zip(factors, means, strict=True)), term(0))
        for side in ("lhs", "rhs")
    )
    tail, tiny = exp(-B / 2 * (B - 2) - most / 4), exp(term(-2))
    small = arithmetic(D / 2 * log(term(2)) - D / 2 - B - 2, "<=", -2)
    small = calc(exp(small.lhs), ("<=", tiny, small))
    apart = equal(queries_(at_the_query(window) + long), queries(window) + tail * square.lhs)
    upper = calc(
        right,
        ("==", left, *means, *(thm.lhs for thm in means)),
        ("==", queries_(inside.lhs)),
        ("<=", apart.lhs, integrate("normal", (zeta,), point)),
        ("==", apart.rhs, apart),
        ("<=", queries(window) + tail * square.rhs, square),
    )
    return calc(
        chance_ / 2,
        ("<=", chance_ * (1 - 3 * tiny), times(chance_, arithmetic(Fraction(1, 2), "<=", 1 - 3 * tiny))),
        ("<=", chance_ * (1 - 2 * tiny - small.lhs), small),
        ("==", right - tail * square.rhs),
        ("<=", queries(window), upper, right, queries(window), tail * square.rhs),
    )


@proves("OURS:R4.B/below", statement)
@cache
def theorem() -> Theorem:
    """The window times what the error is at least in it."""
    same = show(trace, "==", t, spread_is_not_negative())
    point = calc(
        trace * least * window,
        ("==", window * (t * least), same, trace, t, window, least),
        ("<=", mean_square, error_in_the_window()),
    )
    outside = instantiate(equal(queries(u * window), u * queries(window)), {u: trace * least})
    return calc(
        trace * least * chance,
        ("<=", trace * least * queries(window), times(trace * least, probability())),
        ("==", queries(trace * least * window), symm(chain(queries(trace * least * window), outside))),
        ("<=", queries(mean_square), integrate("normal", (zeta,), put(point))),
    )
