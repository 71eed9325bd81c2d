"""One token with a large score carries the error: at a query with s1 <= s <= s2 the mean squared
error is at least t (L/2) e^{theta^2 s1/2 - theta (a + w)}.

A score x is at least a with a probability of the order of e^{theta^2 s/2 - theta (a + w)}, if theta
s lies well inside (a, a + w). Where the other weights are small, its softmax weight p is at least 2
- 1/p, and the output is near the token: its score is larger than s by more than the root of s.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, symm
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import above, ind, product, times
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    P2,
    alpha,
    delta,
    k,
    l,
    ones,
    picks,
    power_sum,
    s,
    score,
    tokens,
    weight,
)
from proofs_check.derivations.query.moments import of_pairs, of_powers, rho, theta
from proofs_check.derivations.softmax_average.gaussian_tokens import g, mean

a, v, r = (Variable(name, range=REALS) for name in "avr")
tilt, steep, c, width, u = (Variable(name, range=POSITIVE) for name in ("theta", "steep", "c", "w", "u"))
eps = Variable("eps", range=Range(Fraction(0), Fraction(1)))
o = Variable("o", range=NONNEGATIVE)
less = 1 - eps
x, own = score(l), delta(l, l)
S, T = tokens(exp(score(k)), k), tokens(exp(less * score(k)), k)
E, F = exp(x), exp(less * x)
above_a = ind(x - a)
#: How much the other weights exceed: S/E - 1, and (T/F - 1)/eps.
others, spread = S / E - 1, (T / F - 1) / eps
near = above_a * (1 - 2 * others - 2 * spread)


def member(power: Term) -> Theorem:
    """delta_ll times the term of token l is at most the sum over all tokens."""
    value = exp(power * score(k))
    line = chain(delta(l, k) * value, times(value, show(delta(l, k), "<=", 1)), value)
    return calc(
        symm(instantiate(picks, {alpha: ((k,), value)})),
        ("<=", tokens(value, k), integrate("coordinates", (k,), line, (L,))),
    )


def others_are_there(power: Term, total: Term) -> Theorem:
    """0 <= delta (sum/own term - 1)."""
    value = exp(power * x)
    line = chain(
        own / value * (own * value),
        times(own / value, chain(own * value, member(power), total)),
        own / value * total,
    )
    line = calc(chain(own * own, line), ("==", own * (total / value)))
    return show(0, "<=", own * (total / value - 1), line, show(own * own, "==", own), own, total / value)


@cache
def squares() -> Theorem:
    """delta times the gain of a token is at most its p^2, as 3 - 2/p <= p^2."""
    p = E / S
    line = instantiate(show(3 - 2 / u, "<=", u**2), {u: p})
    rest = product(2 / eps * above_a, own * (T / F - 1), others_are_there(less, T))
    return calc(
        own * near,
        ("==", own * above_a * (3 - 2 / p) - 2 / eps * above_a * (own * (T / F - 1))),
        ("<=", own * above_a * (3 - 2 / p), rest),
        ("<=", own * above_a * p**2, times(own * above_a, line)),
        ("<=", own * p**2, show(above_a, "<=", 1)),
    )


#: What the gain of a token is at least, in exponentials of scores.
event = exp(tilt * (x - a - width)) * (1 - exp(-steep * (x - a)) - exp(steep * (x - a - width)))
lifted = exp(tilt * (x - a))
gain = event - 2 * exp(-a) * lifted * (S - E) - 2 / eps * exp(-less * a) * lifted * (T - F)


@cache
def below_an_indicator() -> Theorem:
    """e^{tilt (v - w)} (1 - e^{-steep v} - e^{steep (v - w)}) <= 1{v >= 0}."""
    power, low, high = exp(tilt * (v - width)), exp(-steep * v), exp(steep * (v - width))
    early, inside = ind(v), above(width - v)
    facts = (
        arithmetic(1 - low, "<=", early),
        arithmetic(1 - high, "<=", inside),
        arithmetic(power * inside, "<=", inside),
    )
    rest = product(1 - early, 1 - inside, *(arithmetic(0, "<=", 1 - e) for e in (early, inside)))
    both = calc(
        1 - low - high,
        ("<=", early + inside - 1, *facts[:2], low, high, early, inside),
        ("<=", early * inside, rest, early, inside),
    )
    return calc(
        power * (1 - low - high),
        ("<=", power * (early * inside), times(power, both)),
        ("==", early * (power * inside)),
        ("<=", early * inside, times(early, facts[2])),
        ("<=", early, show(inside, "<=", 1)),
    )


@cache
def gains() -> Theorem:
    """delta times the gain is at least delta times exponentials of scores, because 1{x >= a} is at
    least the event, and e^{-x} times it is at most e^{-a} e^{tilt (x - a)}.
    """
    first = instantiate(below_an_indicator(), {v: x - a})
    up = chain(arithmetic(ind(v) * exp(-o * v), "<=", ind(v)), arithmetic(ind(v), "<=", exp(tilt * v)))
    parts = []
    for power, total, value in ((term(1), S, E), (less, T, F)):
        line = instantiate(up, {o: power, v: x - a})
        more = product(value, own * (total / value - 1), others_are_there(power, total))
        more = times(own * (total - value), line, chain(more, own * (total - value)))
        parts.append(
            calc(
                above_a * (own * (total / value - 1)),
                ("==", exp(-power * a) * (own * (total - value) * (above_a * exp(-power * (x - a))))),
                ("<=", exp(-power * a) * (own * (total - value) * lifted), more),
            )
        )
    return calc(
        own * gain,
        ("==", own * event - 2 * parts[0].rhs - 2 / eps * parts[1].rhs),
        ("<=", own * event - 2 * parts[0].lhs - 2 / eps * parts[1].lhs, *parts),
        ("<=", own * above_a - 2 * parts[0].lhs - 2 / eps * parts[1].lhs, times(own, first)),
        ("==", own * near),
    )


#: The window for s, and what is asked of the numbers, each of which can be met for every L.
s1, s2 = Variable("s1", range=POSITIVE), Variable("s2", range=POSITIVE)
after = assume("theta s is larger than a", steep * a + steep**2 * s2 / 2 + 3, "<=", tilt * steep * s1)
before = assume(
    "and smaller than a + w", tilt * steep * s2 + steep**2 * s2 / 2 + 3, "<=", steep * (a + width)
)
light = assume("the other weights are small", log(L) + s2 / 2 + tilt * width + 3, "<=", a)
close = assume("so are their scores", log(L / eps) + less**2 * s2 / 2 + tilt * width + 3, "<=", less * a)
beyond = assume("a is larger than s", s2 + c + 1, "<=", a)
deviation = assume("c is at least the root of s", s2, "<=", c**2)
at_least_one = assume("c is at least 1", 1, "<=", c)
GIVEN_NUMBERS = (after, before, light, close, beyond, deviation, at_least_one)
window = ind(s - s1) * ind(s2 - s)
#: What the gains of all tokens add up to, at least.
least = L / 2 * exp(tilt**2 * s1 / 2 - tilt * (a + width))


@cache
def mean_gain() -> Theorem:
    """The mean of the sum of all gains."""
    power = lambda value: instantiate(of_powers(), {theta: value})
    pair = lambda value: instantiate(of_pairs(), {theta: tilt, rho: value})
    powers = [power(value) for value in (tilt, tilt - steep, tilt + steep, tilt + 1, tilt + less)]
    pairs = pair(term(1)), pair(less)
    scale = exp(-tilt * (a + width))
    factors = (
        scale,
        -scale * exp(steep * a),
        -scale * exp(-steep * (a + width)),
        2 * exp(-a - tilt * a),
        2 / eps * exp(-(less + tilt) * a),
    )
    left, right = (
        sum((f * getattr(thm, side) for f, thm in zip(factors, powers, strict=True)), term(0))
        - factors[3] * getattr(pairs[0], side)
        - factors[4] * getattr(pairs[1], side)
        for side in ("lhs", "rhs")
    )
    main = exp(tilt**2 * s / 2 - tilt * (a + width))
    losses = (
        exp(steep * a - tilt * steep * s + steep**2 * s / 2),
        exp(-steep * (a + width) + tilt * steep * s + steep**2 * s / 2),
        2 * (L - 1) * exp(tilt * width - a + s / 2),
        2 / eps * (L - 1) * exp(tilt * width - less * a + less**2 * s / 2),
    )
    return calc(
        mean(tokens(gain)),
        ("==", left),
        ("==", right, *powers, *pairs, *(thm.lhs for thm in (*powers, *pairs)), s),
        ("==", L * main * (1 - losses[0] - losses[1] - losses[2] - losses[3]), s),
    )


@cache
def tangent_of_exp() -> Theorem:
    """e^v - e^r <= e^v (v - r)."""
    line = times(exp(v), instantiate(show(1 + v, "<=", exp(v)), {v: r - v}))
    line = chain(exp(v) - exp(v) * (v - r), line, exp(r))
    return show(exp(v) - exp(r), "<=", exp(v) * (v - r), line, exp(v), exp(r), v, r)


def _in_the_window(power: Term, fact: Theorem) -> Theorem:
    """1{window} e^power <= 1{window} e^{-3}; the fact says that 1{window} (power + 3) <= 0."""
    tangent = instantiate(tangent_of_exp(), {v: power, r: term(-3)})
    line = calc(
        times(window, tangent),
        ("==", exp(power) * (window * (power + 3))),
        ("<=", exp(power) * 0, times(exp(power), fact)),
        ("==", 0),
    )
    return show(
        window * exp(power),
        "<=",
        window * exp(term(-3)),
        chain(window * exp(power) - window * exp(term(-3)), line),
    )


@cache
def ends() -> tuple[Theorem, Theorem]:
    """1{window} (s1 - s) <= 0 and 1{window} (s - s2) <= 0."""
    early = arithmetic(ind(v - s1) * (s1 - v), "<=", 0)
    late = arithmetic(ind(s2 - v) * (v - s2), "<=", 0)
    first, second = (instantiate(thm, {v: s}) for thm in (early, late))
    return (
        calc(chain(window * (s1 - s), times(ind(s2 - s), first)), ("==", 0)),
        calc(chain(window * (s - s2), times(ind(s - s1), second)), ("==", 0)),
    )


@cache
def least_gain() -> Theorem:
    """1{window} (L/2) e^{theta^2 s1/2 - theta (a + w)} is at most the mean of all gains."""
    early, late = ends()
    half = steep**2 / 2
    powers = (
        (steep * a - tilt * steep * s + steep**2 * s / 2, after, tilt * steep, half),
        (-steep * (a + width) + tilt * steep * s + steep**2 * s / 2, before, term(0), tilt * steep + half),
        (log(L) + tilt * width - a + s / 2, light, term(0), term(Fraction(1, 2))),
        (log(L / eps) + tilt * width - less * a + less**2 * s / 2, close, term(0), less**2 / 2),
    )
    small = []
    for power, given, first, last in powers:
        bound = arithmetic(given.lhs - given.rhs, "<=", 0, given)
        parts = times(window, bound), times(first, early), times(last, late)
        zero = calc(
            window * (power + 3),
            ("==", parts[0].lhs + parts[1].lhs + parts[2].lhs),
            ("<=", window * 0 + first * 0 + last * 0, *parts),
            ("==", 0),
        )
        small.append(_in_the_window(power, zero))
    main, start = exp(tilt**2 * s / 2 - tilt * (a + width)), exp(tilt**2 * s1 / 2 - tilt * (a + width))
    tangent = instantiate(
        tangent_of_exp(), {v: tilt**2 * s1 / 2 - tilt * (a + width), r: tilt**2 * s / 2 - tilt * (a + width)}
    )
    main_ = calc(
        times(window, tangent),
        ("==", start * tilt**2 / 2 * (window * (s1 - s))),
        ("<=", 0, times(start * tilt**2 / 2, early)),
    )
    main_ = show(window * start, "<=", window * main, chain(window * start - window * main, main_))
    tiny = exp(term(-3))
    losses = [exp(power) for power, *_ in powers]
    total = mean_gain()
    left = L * main * (1 - losses[0] - losses[1] - 2 * losses[2] - 2 * losses[3])
    fewer = chain(show(left, "<=", total.rhs, s), symm(total))
    rest = window * (1 - 6 * tiny)
    enough = chain(
        window * Fraction(1, 2), times(window, arithmetic(Fraction(1, 2), "<=", 1 - 6 * tiny)), rest
    )
    return calc(
        window * least,
        ("==", L / 2 * (window * start)),
        ("<=", L / 2 * (window * main), main_),
        ("==", L * main * (window * Fraction(1, 2))),
        ("<=", L * main * rest, times(L * main, enough)),
        ("==", L * main * (window - 6 * (window * tiny))),
        (
            "<=",
            L * main * (window - small[0].lhs - small[1].lhs - 2 * small[2].lhs - 2 * small[3].lhs),
            *small,
        ),
        ("==", window * left),
        ("<=", window * fewer.rhs, times(window, fewer)),
    )


@cache
def second_power() -> Theorem:
    """1{window} (L/2) e^{theta^2 s1/2 - theta (a + w)} <= 1{window} P2."""
    point = chain(own * gain, gains(), squares(), own * weight() ** 2)
    every = calc(
        symm(instantiate(ones, {alpha: ((l,), gain)})),
        ("<=", tokens(own * weight() ** 2), integrate("coordinates", (l,), point, (L,))),
        ("==", power_sum(2), instantiate(ones, {alpha: ((l,), weight() ** 2)})),
    )
    average = chain(mean(tokens(gain)), integrate("normal", (g,), every), P2)
    return calc(least_gain(), ("<=", window * P2, times(window, average)))
