"""Integrals of probabilities over all levels, and the step of the proofs of Lemmas C.4 and C.7 that
bounds that of the largest of L tokens by that of one token.

An integral over levels t > 0 is the mean of e^T times the integrand at t = T, where T has the
density e^{-t}.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, exchange, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import second_moment
from proofs_check.derivations.softmax_average.moments import size_of_the_limit
from proofs_check.derivations.softmax_average.second_moment import average_of_squares, hull_bound
from proofs_check.derivations.softmax_average.softmax_average import (
    S_L,
    F,
    K,
    a2,
    error_squared,
    expectation,
    k,
    l,
    mean,
    prompt,
    rho,
    sub_gaussian,
    t,
    total,
    w,
    x,
)
from proofs_check.derivations.softmax_average.tilted import query
from proofs_check.derivations.tails.largest import positive_part

T = exp(Function("lnT", (Sort.QUERY,))(query))
s, t_0, y = (Variable(name, range=NONNEGATIVE) for name in ("s", "t0", "y"))


def from_on(least: Term, body: Term) -> Term:
    """What is averaged for the integral over the levels t = T from the least one on."""
    return exp(T) * Op("ind", (T - least,)) * body


def integral(least: Term, body: Term) -> Term:
    return bind("query", (query,), from_on(least, body))


#: The levels from s to y have the length (y - s)_+, with the end y or without it.
lengths, open_lengths = (
    assume(
        f"T has the density e^{{-t}}: the levels from s to y have the length (y - s)_+, {end} y",
        integral(s, Op(head, (y - T,))),
        "==",
        positive_part(y - s),
        every=(s, y),
    )
    for head, end in (("ind", "with"), ("above", "without"))
)


def layers(kind: str, names: tuple[Variable, ...], X: Term, least: Term, of: Theorem = lengths) -> Theorem:
    """The integral of P(X >= t), or of P(X > t), from the least level on is E(X - least)_+, for X
    >= 0.
    """
    at = instantiate(of, {s: least, y: X})
    over, event = lambda body: bind(kind, names, body), Op("ind" if of is lengths else "above", (X - T,))
    inside = bind("query", (query,), over(from_on(least, event)))
    return chain(integral(least, over(event)), exchange(inside), integrate(kind, names, at))


class Case(NamedTuple):
    """The proof of Lemma C.4, or of C.7: the factor 2 or 8, the threshold t_0, the power of |f| and
    of |R/S|, and what is asked of the length of the prompt.
    """

    factor: int
    threshold: Term
    power: Term
    limit: Term
    error: Term
    long: Callable[[Fraction], Theorem]


C_4 = Case(
    2,
    L * K,
    F,
    rho,
    error_squared,
    lambda most: assume("delta_0 is at most 16", 64 * exp(4 * a2) / L**2, "<=", term(most)),
)
C_7 = Case(
    8,
    L * K**2,
    F**2,
    rho**2,
    error_squared**2,
    lambda most: assume("e^{4 sigma^2|Uz|^2}/L is at most 1/8", exp(4 * a2) / L, "<=", term(most)),
)


def _sides(at: Case, factor: Fraction) -> tuple[Term, Term]:
    some = Op("min", (term(1), total(Op("ind", (at.power - (T / at.factor - at.limit),)))))
    least = positive_part(at.threshold / at.factor - at.limit)
    one = mean(Op("ind", (at.power - T,)))
    return integral(at.threshold, expectation(some)), factor * L * integral(least, one)


def _statement(at: Case, factor: Fraction, most: Fraction) -> Statement:
    """The integral of P(max |f(z_l)|^q >= t/c - |R/S|^q) from t_0 on is at most c L times that of
    P(|f(z_1)|^q >= t) from (t_0/c - |R/S|^q)_+ on.
    """
    left, right = _sides(at, factor)
    return Statement(left, "<=", right, hypotheses(lengths, at.long(most)) | sub_gaussian().assumptions)


def statement_c4(two: int | Fraction = 2, at_most: int | Fraction = 16) -> Statement:
    return _statement(C_4, Fraction(two), Fraction(at_most))


def statement_c7(eight: int | Fraction = 8, at_most: Fraction = Fraction(1, 8)) -> Statement:
    return _statement(C_7, Fraction(eight), Fraction(at_most))


@cache
def limit_below_the_threshold(at: Case) -> Theorem:
    """|R/S|^q <= t_0/c."""
    if at is C_4:
        short = show(exp(2 * a2), "<=", L / 2, C_4.long(Fraction(16)))
        return calc(rho, ("<=", exp(2 * a2) * K, size_of_the_limit()), ("<=", L * K / 2, short, K))
    short = show(exp(4 * a2), "<=", L / 8, C_7.long(Fraction(1, 8)))
    square = show(rho**2, "<=", exp(4 * a2) * K**2, size_of_the_limit())
    return calc(square, ("<=", L * K**2 / 8, short, K))


@cache
def of_the_largest(at: Case) -> Theorem:
    """The union bound at each level; its integral is the mean of (c |f|^q + c |R/S|^q - t_0)_+."""
    c, X, t0 = at.factor, at.power, at.threshold
    left, right = _sides(at, Fraction(c))
    reached = Op("ind", (X - (T / c - at.limit),))
    less = instantiate(show(Op("min", (term(1), y)), "<=", y), {y: total(reached)})
    of_one = layers("mean", (k,), c * X + c * at.limit, t0)
    least = positive_part(t0 / c - at.limit)
    above = c * positive_part(X - least)
    shifted = show(
        positive_part(c * X + c * at.limit - t0), "<=", above, limit_below_the_threshold(at), X, at.limit, t0
    )
    return calc(
        left,
        ("<=", integral(t0, expectation(total(reached))), less),
        ("==", L * integral(t0, mean(reached))),
        ("==", L * of_one.lhs),
        ("==", L * of_one.rhs, of_one),
        ("<=", L * mean(above), shifted),
        ("==", c * L * mean(positive_part(X - least))),
        ("==", right, layers("mean", (k,), X, least)),
    )


proves("BB:LC.4.union/inference", statement_c4)(lambda: of_the_largest(C_4))
proves("BB:LC.7.8/inference", statement_c7)(lambda: of_the_largest(C_7))


# -- the first displays of the proofs --------------------------------------------------------------


def some_token(at: Case) -> Term:
    """1 where max |f(z_l)|^q is at least t/c - |R/S|^q, and 0 elsewhere."""
    return Op("min", (term(1), total(Op("ind", (at.power - (T / at.factor - at.limit),)))))


@cache
def some_token_is_large(at: Case) -> Theorem:
    """Where |err|^q > t some |f(z_l)|^q is at least u = t/c - |R/S|^q: the average A of |f|^q has
    A - u <= N B for the number N of these tokens and some B.
    """
    c, X, u = at.factor, at.power, T / at.factor - at.limit
    reached, excess = Op("ind", (X - u,)), positive_part(X - u)
    average, number, B = total(w * X) / S_L, total(reached), total(w * excess) / S_L
    pairs = bind("sum", (k, l), reached * instantiated(w * excess, {k: l}), (prompt,))
    product = calc(
        total(reached * (w * excess)),
        ("<=", total(reached * (w * excess)) + pairs),
        ("==", number * total(w * excess)),
    )
    each = show(w * (X - u), "<=", reached * (w * excess), w, X, u)
    above = calc(
        average - u,
        ("==", total(w * (X - u)) / S_L),
        ("<=", total(reached * (w * excess)) / S_L, each),
        ("<=", number * B, product),
    )
    others = bind("sum", (k, l), reached * instantiated(reached, {k: l}), (prompt,))
    whole = calc(
        number,
        ("<=", total(reached**2), instantiate(show(Op("ind", (x,)), "<=", Op("ind", (x,)) ** 2), {x: X - u})),
        ("<=", total(reached**2) + others),
        ("==", number**2),
    )
    error = at.error - T
    gap = c * (average - u)
    larger = chain(gcongr(error, hull(at)), gap, gcongr(gap, above), c * (number * B))
    one = show(Op("above", (larger.rhs,)), "<=", some_token(at), whole, number, B)
    return chain(gcongr(Op("above", (error,)), larger), one)


@cache
def hull(at: Case) -> Theorem:
    """|err|^q <= c A + c |R/S|^q for the average A of |f|^q."""
    own, square = Defined("average", total(w * F) / S_L), total(w * F**2) / S_L
    first = calc(hull_bound(), ("==", 2 * own + 2 * rho))
    if at is C_4:
        return first
    return calc(
        error_squared**2,
        ("<=", (2 * own + 2 * rho) ** 2, first),
        ("<=", 8 * own**2 + 8 * rho**2),
        ("<=", 8 * square + 8 * rho**2, calc(own**2, ("<=", square, average_of_squares(F)[0]))),
    )


def below(end: Term, least: Term, body: Term) -> Term:
    """The integral over the levels from the least one to an end."""
    return integral(least, Op("ind", (end - T,)) * body)


def _first(at: Case, C: Term) -> Term:
    """What the levels up to t_0 add: C/L and the integral of C/(L t), or the integral of C/(L
    t^{1/2}).
    """
    if at is C_4:
        return C / L + below(at.threshold, C / L, C / (L * T))
    return below(at.threshold, term(0), C / (L * sqrt(T)))


def _display(at: Case, C: Term, whole: int | Fraction) -> tuple[Statement, Statement]:
    """The integral of P(|err|^q >= t) is whole E|err|^q, and E|err|^q is at most what the levels up
    to t_0 add and the integral of P(max |f(z_l)|^q >= t/c - |R/S|^q) from t_0 on.
    """
    left, given = expectation(at.error), sub_gaussian().assumptions | hypotheses(lengths, open_lengths)
    beyond = integral(at.threshold, expectation(some_token(at)))
    return (
        Statement(
            integral(term(0), expectation(Op("ind", (at.error - T,)))),
            "==",
            Fraction(whole) * left,
            hypotheses(lengths),
        ),
        Statement(left, "<=", _first(at, C) + beyond, given if at is C_4 else given - lengths.assumptions),
    )


def display_c4(constant: int | Fraction = 108, whole: int | Fraction = 1) -> tuple[Statement, Statement]:
    return _display(C_4, Fraction(constant) * exp(4 * a2) * K, whole)


def display_c7(front: int | Fraction = 1, whole: int | Fraction = 1) -> tuple[Statement, Statement]:
    return _display(C_7, Fraction(front) * 108 * exp(4 * a2) * K, whole)


@cache
def all_levels(at: Case) -> Theorem:
    """E|err|^q is the integral of P(|err|^q >= t) over all levels."""
    part = positive_part(at.error - 0)
    whole = layers("prompt", (prompt,), at.error, term(0))
    return calc(whole, ("==", expectation(at.error), show(part, "==", at.error, at.error)))


def chance(at: Case) -> Term:
    """P(|err|^q > t), in a form that no normal form takes apart."""
    return positive_part(expectation(Op("above", (at.error - T,))))


@cache
def first_levels(at: Case) -> Theorem:
    """The integral of P(|err|^q > t) up to t_0 is at most what `_first` says, by Markov's
    inequality and R1, and as a probability is at most 1.
    """
    C, t0, event = 108 * exp(4 * a2) * K, at.threshold, Op("above", (at.error - T,))
    root = sqrt(t) if at is C_7 else t
    markov = show(Op("above", ((y**2 if at is C_7 else y) - t,)), "<=", y / root)
    markov = instantiate(markov, {y: error_squared, t: T})
    root = instantiated(root, {t: T})
    point = calc(
        chance(at),
        ("<=", expectation(event), expectation(event)),
        ("<=", expectation(error_squared) / root, markov),
        ("<=", C / L / root, calc(expectation(error_squared), ("<=", C / L, second_moment.theorem()))),
    )
    up = Op("ind", (t0 - T,))
    if at is C_7:
        each = gcongr(from_on(term(0), up * chance(at)), point)
        return chain(integrate("query", (query,), each), _first(at, C))
    one = calc(chance(at), ("<=", expectation(event), expectation(event)), ("<=", 1, show(event, "<=", 1)))
    early, late = Op("ind", (C / L - T,)), Op("ind", (T - C / L,))
    parts = show(up, "<=", early + late * up, T, C / L, t0)
    first, second = from_on(term(0), early * chance(at)), from_on(term(0), late * up * chance(at))
    of_second = calc(second, ("<=", exp(T) * late * up * chance(at), show(Op("ind", (T - 0,)), "<=", 1)))
    of_second = chain(of_second, gcongr(of_second.rhs, point))
    each = chain(
        gcongr(from_on(term(0), up * chance(at)), parts),
        first + second,
        gcongr(first + second, gcongr(first, one), of_second),
    )
    start = calc(instantiate(lengths, {s: term(0), y: C / L}), ("==", 1 * (C / L)))  # no end of a range
    middle = below(t0, C / L, C / (L * T))
    return chain(integrate("query", (query,), each), start.lhs + middle, gcongr(start.lhs + middle, start))


@cache
def display(at: Case) -> Theorem:
    """Below t_0 by Markov's inequality, and from t_0 on because some token is large there."""
    t0, event = at.threshold, expectation(Op("above", (at.error - T,)))
    part = positive_part(at.error - 0)
    whole = layers("prompt", (prompt,), at.error, term(0), open_lengths)
    up, on = Op("ind", (t0 - T,)), Op("ind", (T - t0,))
    large = integrate("prompt", (prompt,), some_token_is_large(at))
    large = calc(chance(at), ("<=", event, event), ("<=", large.rhs, large))
    late = from_on(term(0), on * chance(at))
    of_late = calc(late, ("<=", exp(T) * on * chance(at), show(Op("ind", (T - 0,)), "<=", 1)))
    of_late = chain(of_late, gcongr(of_late.rhs, large))
    early = from_on(term(0), up * chance(at))
    each = calc(
        from_on(term(0), event),
        ("<=", from_on(term(0), chance(at)), show(event, "<=", chance(at), event)),
        ("<=", early + late, show(1, "<=", up + on)),
    )
    each = integrate("query", (query,), chain(each, gcongr(early + late, of_late)))
    both = below(t0, term(0), chance(at)) + integral(t0, expectation(some_token(at)))
    start = show(expectation(at.error), "<=", expectation(part), show(at.error, "<=", part, at.error))
    return chain(start, gcongr(whole.rhs, whole), each, both, gcongr(both, first_levels(at)))


proves("BB:LC.4.int", display_c4, part=1)(lambda: all_levels(C_4))
proves("BB:LC.4.int", display_c4, part=2)(lambda: display(C_4))
proves("BB:LC.7.int", display_c7, part=1)(lambda: all_levels(C_7))
proves("BB:LC.7.int", display_c7, part=2)(lambda: display(C_7))
