"""Theorem 4.4 and Lemma H.2 of Collins et al.: a minimiser has no blocks N and Q, and its block A
is a positive multiple of I within the bound; without noise for prompts of every length n >= 2, and
with noise for two tokens and k >= 2.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.terms import Term, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import for_each, proves
from proofs_check.derivations.window.prompt import d, j, l, mean, n, o, over, q
from proofs_check.derivations.window.signal import p
from proofs_check.derivations.window.subspace import minimiser, noise_near_0
from proofs_check.derivations.window.subspace.cosines import kappa, level_, narrow, s_, sides, sigma, t_
from proofs_check.derivations.window.subspace.direction import (
    forms_of_the_query,
    mean_length,
    off,
    size,
    spread_of_A,
    trace,
)
from proofs_check.derivations.window.subspace.equal_weights import (
    M_vu,
    M_vv,
    above_equal_weights,
    bounds,
    c_u,
    c_v,
    class_hypotheses,
    cosine,
    e_,
    fixed,
    least,
    level,
    m,
    of_the_class,
    of_the_tokens,
    out,
    query,
    spread,
    spurious,
    tilt,
    with_equal_weights,
)
from proofs_check.derivations.window.subspace.equal_weights import near as near_
from proofs_check.derivations.window.subspace.prompts import gain, losses
from proofs_check.derivations.window.subspace.prompts import tilt as heights
from proofs_check.derivations.window.subspace.prompts.near_0 import at_a_multiple, best, fall, uniform_heights
from proofs_check.derivations.window.subspace.prompts.shares import from_below, level_0, unit
from proofs_check.derivations.window.subspace.prompts.weights import signal_0
from proofs_check.derivations.window.subspace.two_tokens import first, second

#: |N|^2 and |Q|^2, and the coefficient of BB' times c_u^2.
of_N, of_Q = out(over(M_vu(m, l) ** 2, l)), out(out(M_vv(m, e_) ** 2, e_))
coefficient = c_u**2 * trace / d


def loss(noisy: bool) -> Term:
    return minimiser.loss if noisy else losses.loss


@cache
def minimal(noisy: bool) -> tuple[Theorem, ...]:
    return (
        assume("M is a minimiser: its loss is at most m", loss(noisy), "<=", least),
        assume("c_a and c_u are not 0", 0, "<", kappa**2),
        assume("c_u is not 0", 0, "<", c_u**2),
        assume("c_v is not 0", 0, "<", c_v**2),
    )


@cache
def off_is_positive() -> Theorem:
    some = show(0, "<=", tilt, losses.cosine_is_at_most_1(), cosine)
    each = show(0 * level, "<=", level * tilt, some, level, tilt)
    return chain(0, integrate("query", (q,), each), off)


@cache
def nothing_is_lost(noisy: bool) -> tuple[Theorem, ...]:
    """|N|^2, |Q|^2 and the mean of lambda (1 - cos) are 0, as each costs a positive multiple."""
    lowest, *scales = minimal(noisy)
    whole = chain(minimiser.costs(True) if noisy else losses.costs(), lowest)
    price = minimiser.price if noisy else losses.price
    front, last = (
        (kappa**2 * minimiser.share, 2 * kappa**2 / d * (1 / minimiser.most))
        if noisy
        else (kappa**2 * gain.share * c_v**2, 2 * kappa**2 * heights.share)
    )
    parts, values = (front * c_u**2 / d, front * c_v**2 / spurious, last), (of_N, of_Q, off)
    paid = show(price, "<=", 0, chain(least + price, whole), least, price)
    split = show(price, "==", parts[0] * of_N + parts[1] * of_Q + parts[2] * off)
    sums = show(split.rhs, "<=", 0, split, paid, *sides(split))
    several = () if noisy else (heights.one_token()[2],)
    some = (show(0, "<=", of_N), show(0, "<=", of_Q), off_is_positive())
    positive = [show(0, "<", part, *several, *scales, n, kappa**2, c_u**2, c_v**2) for part in parts]
    products = [
        show(0, "<=", part * value, zero, above, part, value)
        for part, value, zero, above in zip(parts, values, some, positive, strict=True)
    ]
    found = []
    for part, value, above in zip(parts, values, positive, strict=True):
        one = show(part * value, "<=", 0, sums, *products, *(x.rhs for x in products))
        found.append(show(value, "<=", 0, one, above, part, value))
    return tuple(found)


@cache
def no_spurious_blocks(noisy: bool) -> Theorem:
    """|N|^2 + |Q|^2 <= 0."""
    first, second, _ = nothing_is_lost(noisy)
    return show(of_N + of_Q, "<=", 0, first, second, of_N, of_Q)


@cache
def multiple_of_I(noisy: bool) -> Theorem:
    """k|A|^2 - (tr A)^2 <= 0: it is k|A - (tr A/k)I|^2."""
    none, near = nothing_is_lost(noisy)[2], losses.cosine_is_at_most_1()
    most = of_the_class(1 if noisy else 2)[2]
    each = show(level**2 * (1 - cosine**2), "<=", 4 * (level * tilt), most, near, level, cosine)
    means, known = integrate("query", (q,), each), spread_of_A()
    whole = calc(known, ("<=", means.rhs, means), ("==", 4 * off), ("<=", 0, none, off))
    scale, value = c_u**4 / (d * (d + 2)), d * size - trace**2
    positive = chain(show(0, "<", (c_u**2) ** 2 / (d * (d + 2)), minimal(noisy)[2], c_u**2, d), scale)
    one = show(scale * value, "<=", 0, chain(scale * value, whole), scale * value)
    return show(value, "<=", 0, one, positive, scale, value)


@cache
def within_the_bound(noisy: bool) -> Theorem:
    """c_u^2 tr A/k <= C_p."""
    size_, most, some = mean_length(), class_hypotheses(1 if noisy else 2)[2], off_is_positive()
    means = integrate("query", (q,), most)
    bound = calc(query(level), ("<=", means.rhs, means), ("==", most.rhs))
    return show(coefficient, "<=", most.rhs, size_, bound, some, size_.lhs, off, coefficient)


@cache
def of_the_toll() -> Theorem:
    """The mean over the query of the loss with equal alpha is at most the loss."""
    several = heights.one_token()[2]
    some = show(0, "<=", tilt, losses.cosine_is_at_most_1(), cosine)
    share, other = (show(0, "<=", x, several, n) for x in (gain.share, heights.share))
    first = show(0, "<=", gain.share * gain.length, share, gain.share, gain.length)
    second = show(0, "<=", tilt * (heights.share * level), some, other, tilt, heights.share, level)
    free = show(0, "<=", losses.toll, first, second, kappa**2, first.rhs, second.rhs)
    paid, start = losses.tolls(), kappa**2 * mean(signal_0)
    point = show(start, "<=", paid.rhs, free, paid, start, losses.toll, paid.rhs)
    return integrate("query", (q,), point)


@cache
def without_noise_near_0() -> tuple[Theorem, Theorem]:
    """The loss is at least that of 0 less a multiple of the mean of lambda, and m at most that of 0
    less a positive number.
    """
    turn = losses.uniform_tokens()[1]
    several, start = heights.one_token()[2], mean(level_0)
    low, good = losses.lowest(best, several, n, d), at_a_multiple()
    good = gcongr(kappa**2 * good.lhs, good)
    near = integrate("mean", (o,), instantiate(from_below(), {level_: level}, of_the_class()[2]))
    near = gcongr(kappa**2 * near.lhs, near)
    given = calc(near, ("==", kappa**2 * turn.rhs), ("==", kappa**2 * turn.lhs, turn, *sides(turn)))
    whole, toll = integrate("query", (q,), given), of_the_toll()
    bottom = calc(
        kappa**2 * start - kappa**2 * (216 * query(level)),
        ("==", whole.lhs),
        ("<=", whole.rhs, whole),
        ("<=", loss(False), toll),
    )
    return bottom, calc(low, ("<=", good.rhs, good), ("==", kappa**2 * start - kappa**2 * fall))


@cache
def fixed_heights() -> tuple[Theorem, ...]:
    """The heights of two tokens over a fixed direction, and the mean square of their distance."""
    distance = mean((fixed[0] - fixed[1]) ** 2)
    return (
        unit(),
        assume("uniform tokens: E (u.(u_1 - u_2))^2 = 2/k for the fixed direction", distance, "==", 2 / d),
    )


@cache
def heights_in_range() -> tuple[Theorem, ...]:
    """The heights over the fixed direction lie in [-1, 1]."""
    length, found = unit(), []
    for at, own in ((first(j, o), of_the_tokens()[1]), (second(j, o), of_the_tokens()[2])):
        for sign in (1, -1):
            square, value = over((at - sign * p(j)) ** 2), over(p(j) * at)
            whole = calc(square, ("==", own.lhs - 2 * sign * value + length.lhs))
            found.append(show(sign * value, "<=", 1, whole, own, length, show(0, "<=", square), square))
    return tuple(found)


#: A multiple that is good enough with noise, and how much less its loss is over kappa^2.
noisy_best = bounds[1] * kappa**2 / (2 * kappa**2 + sigma**2 + 1)
noisy_fall = noisy_best / (4 * d)


@cache
def with_noise_near_0() -> tuple[Theorem, Theorem]:
    """The same with noise."""
    inside, scale = heights_in_range(), minimal(True)[1]
    put, start = {s_: fixed[0], t_: fixed[1]}, mean(with_equal_weights(term(0), *fixed))
    ranges = (
        show(0, "<", noisy_best, scale, kappa**2, sigma**2),
        show(noisy_best, "<=", 1, scale, kappa**2, sigma**2),
    )
    good = instantiate(noise_near_0.falls(), {noise_near_0.c: noisy_best}, *ranges)
    square = (s_ - t_) ** 2
    base = with_equal_weights(term(0), s_, t_)
    quadratic = kappa**2 * (noisy_best**2 / 4 - noisy_best / 4) + sigma**2 * noisy_best**2 / 8
    short = show(quadratic, "<=", -(kappa**2 * noisy_best / 8), scale, kappa**2, sigma**2)
    short = gcongr(square * short.lhs, short)
    good = calc(good, ("==", base + short.lhs), ("<=", base + short.rhs, short, base, *sides(short)))
    good = integrate("mean", (o,), instantiate(good, put, *inside))
    distance = fixed_heights()[1]
    front = kappa**2 * noisy_best / 8
    good = calc(
        good,
        ("==", start - front * distance.lhs),
        ("==", start - front * distance.rhs, distance, *sides(distance), start, front),
        ("==", start - kappa**2 * noisy_fall, start),
    )
    low = minimiser.lowest(True, noisy_best, *ranges, scale, kappa**2, sigma**2)
    near = instantiate(noise_near_0.is_not_steep(), {narrow: level, **put}, *inside, of_the_class(1)[2])
    near, paid = integrate("mean", (o,), near), above_equal_weights(True)
    free = show(0, "<=", tilt, losses.cosine_is_at_most_1(), cosine)
    spare = kappa**2 * tilt * mean(spread)
    free = show(0, "<=", spare, free, tilt, mean(spread), kappa)
    equal_ = near.rhs
    point = show(
        near.lhs, "<=", paid.rhs, near, free, paid, near.lhs, equal_, spare, mean(near_), kappa, paid.rhs
    )
    bottom = integrate("query", (q,), point)
    bottom = calc(start - kappa**2 * (4 * query(level)), ("==", bottom.lhs), ("<=", loss(True), bottom))
    return bottom, chain(low, good)


@cache
def positive_trace(noisy: bool) -> Theorem:
    """0 < tr A: the mean of lambda is at least a number by which the loss of some cBB' is less than
    that of 0.
    """
    (lowest, *scales), (_, _, none) = minimal(noisy), nothing_is_lost(noisy)
    bottom, top = with_noise_near_0() if noisy else without_noise_near_0()
    number, factor = (noisy_fall, 4) if noisy else (fall, 216)
    both = chain(bottom, lowest, top)
    start = mean(with_equal_weights(term(0), *fixed)) if noisy else kappa**2 * mean(level_0)
    ends = kappa**2 * number, kappa**2 * (factor * query(level))
    scaled = show(ends[0], "<=", ends[1], both, start, *ends)
    free = show(number, "<=", factor * query(level), scaled, scales[0], kappa**2, number, query(level))
    known = scales[0] if noisy else heights.one_token()[2]
    positive = show(0, "<", number, known, kappa**2, sigma**2, n, d)
    more = show(
        0, "<", coefficient, free, positive, mean_length(), none, query(level), number, coefficient, off
    )
    return show(0, "<", trace, more, scales[1], c_u**2, trace, d)


def law_of_the_costs(noisy: bool) -> frozenset[Assumption]:
    return minimiser.cost_hypotheses(True) if noisy else losses.cost_hypotheses()


def statements(case: bool, most: int = 0, sign: int = 1, times: int = 1) -> tuple[Statement, ...]:
    """|N|^2 + |Q|^2 <= `most`, k|A|^2 - (tr A)^2 <= `most`, 0 < tr A and c_u^2 tr A/k <= C_p, for a
    minimiser without noise and with it.
    """
    given = law_of_the_costs(case) | hypotheses(*minimal(case))
    query_ = hypotheses(*forms_of_the_query())
    traces, _, odd, _ = forms_of_the_query()
    near_0 = hypotheses(traces, odd, *(fixed_heights() if case else (unit(), *uniform_heights())))
    bound = hypotheses(traces, odd, *class_hypotheses(1 if case else 2), of_the_tokens()[0])
    return (
        Statement(of_N + of_Q, "<=", term(most), given),
        Statement(d * size - trace**2, "<=", term(most), given | query_),
        Statement(term(0), "<", sign * trace, given | near_0),
        Statement(times * coefficient, "<=", bounds[1 if case else 2], bound),
    )


def theorems(noisy: bool) -> tuple[Theorem, ...]:
    return no_spurious_blocks(noisy), multiple_of_I(noisy), positive_trace(noisy), within_the_bound(noisy)


def both_cases() -> tuple[Theorem, ...]:
    return (*theorems(False), *theorems(True))


cases = for_each((False, True), statements)
for _id in ("COL:T4.4", "COL:H.2"):
    proves(_id, cases, part=range(1, 9))(both_cases)


def multiples_statements(times: int = 1) -> tuple[Statement, Statement]:
    """The loss of cBB' is `times` that of equal weights, for two tokens and without noise."""
    return minimiser.multiples_statement(times), losses.multiples_statement(times)


proves("COL:T4.4/multiples", multiples_statements, part=1)(minimiser.loss_of_multiples)
proves("COL:T4.4/multiples", multiples_statements, part=2)(losses.loss_of_multiples)
