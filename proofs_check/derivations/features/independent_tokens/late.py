"""How fast the gap between the scores grows late in training on independent tokens: at most as a
mean over prompts says that their tokens bound by Chernoff's method.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as N
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import K, here, k, m, zero_or_one
from proofs_check.derivations.features.independent_tokens import exchanged
from proofs_check.derivations.features.independent_tokens.attention import (
    UNIT,
    attention_between,
    count,
    counts,
    here_between,
    in_counts,
    of_the_rest,
    weight_of_a_token,
)
from proofs_check.derivations.features.independent_tokens.exchanged import own, own_tokens
from proofs_check.derivations.features.independent_tokens.two_classes import (
    expectation,
    prompt,
    token,
    tokens,
    uniform,
    z,
)
from proofs_check.derivations.features.steps import added, cancelled, ind, product, scaled, times

long = assume("N >= 64 K", 64 * K, "<=", N)
#: By how much the own score exceeds each other one, and attention there.
x = Variable("gap", range=NONNEGATIVE)
E = exp(x)
Z, A_own, squares, diagonal = (
    instantiated(e, {z: x}) for e in (exchanged.Z, exchanged.A_own, exchanged.squares, exchanged.diagonal)
)


def there(thm: Theorem) -> Theorem:
    """A theorem at that gap."""
    return instantiate(thm, {z: x})


u_ = Variable("u", range=REALS)
#: The mean number of tokens of a class, over two; the squares of an error, and what bounds them.
half = N / (2 * K)
error = A_own * (1 - A_own) ** 2
tail = exp(log(term(2)) * (half - count))


@cache
def of_a_prompt() -> Theorem:
    """e^{2z} A (1 - A)^2 <= 4 K^2 + N^2 2^{N/(2K) - C}: it is at most N^2/C^2 if C is at least 1,
    and 0 otherwise, and the first is enough where C is at least N/(2K).
    """
    x_, y_ = (Variable(name, range=NONNEGATIVE) for name in ("count", "half"))
    total, part, rest = map(there, in_counts())
    least, most, whole_ = counts()
    often, seldom = ind(count - half), Op("above", (half - count,))
    cube = calc(
        count,
        ("<=", count**2, whole_),
        ("<=", count * count**2, times(count, whole_, least)),
        ("==", count**3),
    )
    larger = calc(count * E, ("<=", N + count * (E - 1), most), ("==", Z, symm(total)))
    power = show((count * E) ** 3, "<=", Z**3, larger, least)
    main = instantiate(
        show(ind(x_ - y_) * (y_**2 * x_), "<=", ind(x_ - y_) * x_**3), {x_: count, y_: half}, least
    )
    w = N**2 * E**3
    first = calc(
        often * (w * count),
        ("==", 4 * K**2 * E**3 * main.lhs),
        ("<=", 4 * K**2 * E**3 * main.rhs, times(4 * K**2 * E**3, main)),
        ("==", 4 * K**2 * often * (count * E) ** 3),
        ("<=", 4 * K**2 * often * Z**3, times(4 * K**2 * often, power)),
    )
    last = calc(
        seldom * (w * count),
        ("<=", seldom * w * count**3, times(seldom * w, cube)),
        ("==", N**2 * seldom * (count * E) ** 3),
        ("<=", N**2 * seldom * Z**3, times(N**2 * seldom, power)),
    )
    rare = instantiate(show(Op("above", (u_,)), "<=", exp(log(term(2)) * u_)), {u_: half - count})
    bound = often * (4 * K**2) + seldom * N**2
    bound_ = calc(
        bound,
        ("<=", 4 * K**2 + seldom * N**2, show(often * (4 * K**2), "<=", 4 * K**2)),
        ("<=", 4 * K**2 + tail * N**2, rare),
    )
    fewer = show((N - count) ** 2, "<=", N**2, least, most)
    one = instantiate(show(ind(u_) + Op("above", (-u_,)), "==", 1), {u_: count - half})
    scaled_ = calc(
        Z**3 * (E**2 * error),
        ("==", E**2 * (A_own * Z) * ((1 - A_own) * Z) ** 2),
        ("==", E**2 * (count * E) * ((1 - A_own) * Z) ** 2, scaled(E**2 * ((1 - A_own) * Z) ** 2, part)),
        ("==", E**2 * (count * E) * (N - count) ** 2, rest, (1 - A_own) * Z),
        ("<=", E**2 * (count * E) * N**2, times(E**2 * (count * E), fewer, product(E**3, count, least))),
        ("==", w * count * 1),
        ("==", w * count * one.lhs, symm(scaled(w * count, one))),
        ("==", first.lhs + last.lhs),
        ("<=", first.rhs + last.lhs, first),
        ("<=", first.rhs + last.rhs, last),
        ("==", Z**3 * bound),
    )
    return calc(cancelled(Z**3, scaled_, E**2 * error, bound, show(0, "<", Z**3)), ("<=", bound_.rhs, bound_))


@cache
def mean_share() -> Theorem:
    """A token is of the query's class with the probability delta_kk/K."""
    at_k = instantiate(uniform, {m: k})
    return calc(
        bind("mean", (token,), own),
        ("==", here * at_k.lhs, own_tokens()),
        ("==", here * at_k.rhs, scaled(here, at_k)),
        ("==", here / K, scaled(1 / K, instantiate(zero_or_one, {m: k}))),
    )


@cache
def mean_of_the_tail() -> Theorem:
    """delta_kk E 2^{N/(2K) - C} <= delta_kk e^{-(1 - log 2) N/(2K)}, by Chernoff's method."""
    rate, share = log(term(2)), Variable("share", range=UNIT)
    g, square = Function("g", (Sort.TOKEN,), None), instantiate(zero_or_one, {m: k})
    apart = show(
        expectation(exp(rate * (half - tokens(g(token))))),
        "==",
        exp(rate * half) * bind("mean", (token,), exp(-rate * g(token))) ** N,
    )
    apart = instantiate(apart, {g: ((token,), own)})
    one = instantiate(weight_of_a_token(), {z: -rate})
    one = calc(one, ("==", 1 - own / 2, show(exp(-rate), "==", Fraction(1, 2))))
    mean_ = integrate("mean", (token,), one)
    tangent = instantiate(show(1 - u_, "<=", exp(-u_)), {u_: here / (2 * K)})
    below = calc(
        mean_,
        ("==", 1 - bind("mean", (token,), own) / 2),
        ("==", 1 - here / (2 * K), scaled(term(Fraction(-1, 2)), mean_share())),
        ("<=", exp(-(here / (2 * K))), tangent),
    )
    least, most = here_between()
    chord = instantiate(
        show(exp(u_ * share), "<=", 1 + share * (exp(u_) - 1)), {share: here, u_: -half}, least, most
    )
    rise = exp(rate * half)
    weight_ = product(here, rise, least)
    return calc(
        here * apart.lhs,
        ("==", here * apart.rhs, scaled(here, apart)),
        (
            "<=",
            here * (rise * exp(-(here / (2 * K))) ** N),
            times(here * rise, gcongr(below.lhs**N, below), weight_),
        ),
        ("==", here * rise * exp(-half * here)),
        ("<=", here * rise * (1 + here * (exp(-half) - 1)), times(here * rise, chord, weight_)),
        ("==", rise * (here + here**2 * (exp(-half) - 1))),
        ("==", rise * (here + here * (exp(-half) - 1)), scaled(rise * (exp(-half) - 1), square)),
        ("==", here * exp(-(1 - rate) * half)),
    )


@cache
def sizes() -> tuple[Theorem, Theorem, Theorem]:
    """0 <= E H_kk <= 8/27, and delta_kk e^{2z} E H_kk <= delta_kk 17 K^2/2, where the unit is
    sigma_f^2/K.
    """
    (low, high), (least, most) = map(there, of_the_rest()), map(there, attention_between())
    a, v = Variable("a", range=UNIT), Variable("half", range=Range(Fraction(32), lo_open=False))
    below = calc(
        0,
        ("<=", A_own * (1 - A_own) ** 2, product(A_own, (1 - A_own) ** 2, least)),
        ("<=", A_own * (1 - 2 * A_own + squares), times(A_own, added(low, 1 - 2 * A_own), least)),
        ("==", diagonal),
    )
    above_ = calc(
        A_own * (1 - 2 * A_own + squares),
        (
            "<=",
            A_own * (A_own**2 + (1 - A_own) ** 2 + (1 - 2 * A_own)),
            times(A_own, added(high, 1 - 2 * A_own), least),
        ),
        ("==", 2 * error),
    )
    largest = instantiate(show(a * (1 - a) ** 2, "<=", Fraction(4, 27)), {a: A_own}, least, most)
    largest = calc(diagonal, ("<=", above_.rhs, above_), ("<=", Fraction(8, 27), largest))
    in_mean = lambda thm: integrate("prompt", (prompt,), thm)
    here_, _ = here_between()
    mean_ = in_mean(of_a_prompt())
    small = instantiate(
        show(v**2 * exp(-(1 - log(term(2))) * v), "<=", Fraction(1, 16)),
        {v: half},
        show(32, "<=", half, long),
    )
    unit = here * (4 * K**2)
    late_ = calc(
        here * E**2 * expectation(error),
        ("==", here * mean_.lhs),
        ("<=", here * mean_.rhs, times(here, mean_, here_)),
        ("==", unit + N**2 * (here * expectation(tail))),
        ("<=", unit + N**2 * mean_of_the_tail().rhs, mean_of_the_tail()),
        ("==", unit + unit * small.lhs),
        ("<=", unit + unit * Fraction(1, 16), times(unit, small, product(here, 4 * K**2, here_))),
    )
    of_two = in_mean(above_)
    scale = here * E**2
    return (
        calc(0, ("==", expectation(term(0))), ("<=", expectation(diagonal), in_mean(below))),
        calc(in_mean(largest), ("==", Fraction(8, 27))),
        calc(
            scale * expectation(diagonal),
            ("<=", scale * of_two.rhs, times(scale, of_two, product(here, E**2, here_))),
            ("==", 2 * late_.lhs),
            ("<=", 2 * late_.rhs, times(term(2), late_)),
            ("==", here * (Fraction(17, 2) * K**2)),
        ),
    )
