"""T1/late: after T steps of gradient descent from Q = 0 on prompts of independent tokens the gap
between the scores is at most of the order of log(T K^2), and the loss at least of the order K/T.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, discharge, induction, instantiate, integrate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import FIRST, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.first_steps import counted as one_more
from proofs_check.derivations.features.any_prompts.first_steps import number, uncounted
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import of_two_classes
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    c,
    common,
    counted,
    each_class,
    eta,
    f,
    here,
    k,
    m,
    mean,
    moments,
    n,
    of_k,
    same,
    spread,
    task,
    zero_or_one,
)
from proofs_check.derivations.features.independent_tokens.attention import here_between, of_the_rest
from proofs_check.derivations.features.independent_tokens.descent import (
    SETTING,
    at_first,
    facts_so_far,
    gap,
    growth,
    later_own,
    loss,
    on_the_line,
    prediction,
    q,
    q_own,
    scores_so_far,
    share_n,
    step_so_far,
    t,
)
from proofs_check.derivations.features.independent_tokens.exchanged import on_the_own_class
from proofs_check.derivations.features.independent_tokens.late import long, sizes, x
from proofs_check.derivations.features.independent_tokens.late_loss import by_jensen
from proofs_check.derivations.features.independent_tokens.two_classes import expectation, gates, h, prompt, z
from proofs_check.derivations.features.steps import added, product, scaled, times
from proofs_check.derivations.proof import proves

small_steps = assume("eta sigma_f^2 <= M", eta * spread, "<=", M)
GIVEN = (*SETTING, long, small_steps, one_more, uncounted)


def odds(rate: Fraction = Fraction(34)) -> Term:
    """What bounds e^{2z} after t steps."""
    return 1 + rate * eta * spread * K**2 / M * number(t)


def on_descent(thm: Theorem) -> Theorem:
    """Without the hypothesis that the scores of all other classes have been equal so far."""
    (hypothesis,) = scores_so_far().assumptions
    return discharge(thm, hypothesis, on_the_line())


@cache
def own_step() -> Theorem:
    """By how much the gap grows."""
    found = on_descent(step_so_far()[1])
    unit = show((1 + 1 / M) / K, "==", 1 / M, counted)
    return calc(
        later_own * (1 + 1 / M),
        ("==", found.rhs * (1 + 1 / M), scaled(1 + 1 / M, found)),
        ("==", gap + eta * spread * here * growth * unit.lhs),
        ("==", gap + eta * spread / M * here * growth, scaled(eta * spread * here * growth, unit)),
    )


@cache
def gap_so_far() -> Theorem:
    return assume("the own score is not negative so far", 0, "<=", q_own, every=(k, t))


def at_the_gap(thm: Theorem) -> Theorem:
    """What holds at every gap from 0 on."""
    return instantiate(thm, {x: gap}, show(0, "<=", gap, gap_so_far()))


@cache
def not_negative() -> Theorem:
    """The own score grows from 0."""
    (hypothesis,) = gap_so_far().assumptions
    found, (least, _) = on_descent(step_so_far()[1]), here_between()
    rate = eta * spread / K
    added = product(here, growth, least, at_the_gap(sizes()[0]))
    step = calc(
        0,
        ("<=", q_own, gap_so_far()),
        ("<=", q_own + rate * (here * growth), times(rate, added)),
        ("==", later_own, symm(found)),
    )
    zero = instantiate(at_first(), {m: k})
    return induction(hypothesis, t, calc(0, ("==", zero.lhs, symm(zero))), step)


def of_the_gap(thm: Theorem) -> Theorem:
    """What holds at every gap from 0 on holds on the descent."""
    (hypothesis,) = gap_so_far().assumptions
    return discharge(at_the_gap(thm), hypothesis, not_negative())


@cache
def bounded_odds() -> Theorem:
    """delta_kk e^{2z} <= delta_kk (1 + 34 eta sigma_f^2 K^2 T/M), as e^{2s} <= 1 + 4 s for
    s <= 8/27.
    """
    so_far = assume("the odds so far", here * exp(2 * gap), "<=", here * odds(), every=(k, t))
    (hypothesis,) = so_far.assumptions
    s = Variable("s", range=Range(Fraction(0), Fraction(8, 27), False, False))
    rate, (least, most), square = eta * spread / M, here_between(), instantiate(zero_or_one, {m: k})
    low, high, slow = (of_the_gap(thm) for thm in sizes())
    moved = rate * here * growth
    some = product(rate * here, growth, product(rate, here, least), low)
    small = calc(
        moved,
        ("<=", rate * here * Fraction(8, 27), times(rate * here, high, product(rate, here, least))),
        ("<=", rate * Fraction(8, 27), times(rate * Fraction(8, 27), most)),
        ("<=", Fraction(8, 27), small_steps),
    )
    one = instantiate(show(exp(2 * s), "<=", 1 + 4 * s), {s: moved}, some, small)
    before = here * exp(2 * gap)
    step = calc(
        here * exp(2 * (later_own * (1 + 1 / M))),
        ("==", here * exp(2 * (gap + moved)), own_step()),
        ("==", before * exp(2 * moved)),
        ("<=", before * (1 + 4 * moved), times(before, one, product(here, exp(2 * gap), least))),
        ("==", before + 4 * rate * here * slow.lhs),
        (
            "<=",
            before + 4 * rate * here * slow.rhs,
            times(4 * rate * here, slow, product(4 * rate, here, least)),
        ),
        ("==", before + 34 * rate * K**2 * here**2),
        ("==", before + 34 * rate * K**2 * here, scaled(34 * rate * K**2, square)),
        ("<=", here * odds() + 34 * rate * K**2 * here, so_far),
        ("==", here * (1 + 34 * eta * spread * K**2 / M * (number(t) + 1))),
        ("==", here * (1 + 34 * eta * spread * K**2 / M * number.after(t)), one_more),
    )
    zero = instantiate(at_first(), {m: k})
    first = calc(
        here * exp(2 * (zero.lhs * (1 + 1 / M))),
        ("==", here * exp(2 * (0 * (1 + 1 / M))), zero),
        ("==", here * (1 + 34 * eta * spread * K**2 / M * 0)),
        ("==", here * (1 + 34 * eta * spread * K**2 / M * number(FIRST)), uncounted),
    )
    return induction(hypothesis, t, first, step)


@cache
def error_so_far() -> Theorem:
    """delta_kk sigma_f^2 (1 - A)^2 <= delta_kk E (f_k - yhat)^2 in a prompt."""
    (_, of_own, square, total), _ = facts_so_far()
    at = lambda thm: instantiate(thm, {z: gap})
    known, low = at(on_the_own_class()), at(of_the_rest()[0])
    zero, (least, _) = instantiate(zero_or_one, {m: k}), here_between()
    found = instantiate(instantiate(moments(), {c: ((n,), share_n)}), {m: k})
    A, S, rest = known.rhs, square.rhs, common * (here - 1)
    value = lambda a, s_, t_: spread * (here - 2 * here * a + s_) + common * (here - t_) ** 2
    left, right = (of_own.lhs, square.lhs, total.lhs), (of_own.rhs, square.rhs, total.rhs)
    letters = [e for e in (*left, *right) if e != term(1)]
    same_ = show(value(*left), "==", value(*right), of_own, square, total, *letters)
    return calc(
        here * (spread * (1 - A) ** 2),
        ("==", here * spread * (1 - 2 * A + A**2)),
        (
            "<=",
            here * spread * (1 - 2 * A + S),
            times(here * spread, added(low, 1 - 2 * A), product(here, spread, least)),
        ),
        ("==", spread * (here * (1 + S) - 2 * here * A)),
        ("==", spread * (here * (1 + S) - 2 * here * known.lhs), symm(scaled(-2 * spread * here, known))),
        ("==", spread * (here + here * S - 2 * here**2 * of_own.rhs)),
        ("==", spread * (here**2 + here * S - 2 * here**2 * of_own.rhs), symm(scaled(spread, zero))),
        (
            "==",
            spread * (here**2 + here * S - 2 * here**2 * of_own.rhs) + rest * (here**2 - here),
            symm(scaled(rest, zero)),
        ),
        ("==", here * same_.rhs),
        ("==", here * same_.lhs, symm(scaled(here, same_))),
        ("==", here * found.rhs),
        ("==", here * found.lhs, symm(scaled(here, found))),
        ("==", here * mean((f(k, task) - prediction) ** 2)),
    )


@cache
def counted_from_zero() -> Theorem:
    """The number of steps is not negative."""
    so_far = assume("some steps so far", 0, "<=", number(t), every=(t,))
    (hypothesis,) = so_far.assumptions
    first = calc(0, ("==", number(FIRST), symm(uncounted)))
    more = calc(0, ("<=", number(t), so_far), ("<=", number(t) + 1), ("==", number.after(t), symm(one_more)))
    return induction(hypothesis, t, first, more)


@cache
def loss_of_a_query() -> Theorem:
    """delta_kk sigma_f^2 <= 2 (1 + odds/M^2) delta_kk E (f_k - yhat)^2."""
    E, most, (least, _) = exp(gap), odds(), here_between()
    each = integrate("prompt", (prompt,), on_descent(error_so_far()))
    jensen, bound, factor = of_the_gap(by_jensen()), bounded_odds(), 2 * (1 + most / M**2)
    v = M / (E + M)
    rate = 68 * eta * spread * K**2 / M**3
    some = calc(
        0,
        ("<=", rate * number(t), product(rate, number(t), counted_from_zero())),
        ("<=", 2 + 2 / M**2 + rate * number(t)),
        ("==", factor),
    )
    squares = show((E + M) ** 2, "<=", 2 * (E**2 + M**2))
    wide = calc(
        here * (E + M) ** 2,
        ("<=", here * (2 * (E**2 + M**2)), times(here, squares, least)),
        ("==", 2 * (here * exp(2 * gap)) + 2 * here * M**2),
        ("<=", 2 * (here * most) + 2 * here * M**2, bound),
        ("==", here * M**2 * factor),
    )
    unit = spread / (E + M) ** 2
    return calc(
        here * spread,
        ("==", unit * (here * (E + M) ** 2)),
        ("<=", unit * (here * M**2 * factor), times(unit, wide)),
        ("==", spread * factor * (here * v**2)),
        ("<=", spread * factor * jensen.rhs, times(spread * factor, jensen, product(spread, factor, some))),
        ("==", factor * each.lhs),
        ("<=", factor * each.rhs, times(factor, each, some)),
        ("==", factor * (here * error)),
    )


#: The mean squared error of a query.
error = expectation(mean((f(k, task) - prediction) ** 2))


def statements(
    rate: int | Fraction = 34, four: int | Fraction = 4, classes: int = 1
) -> tuple[Statement, ...]:
    """For two different classes (K - classes) q_mk = -q_k; the odds; and sigma_f^2 is at most
    `four` times 1 + odds/M^2 times the loss.
    """
    most, given = odds(Fraction(rate)), hypotheses(*GIVEN)
    on_line = hypotheses(*SETTING)
    return (
        Statement(others * ((M + 1 - classes) * q), "==", -(others * q_own), on_line),
        Statement(here * exp(2 * gap), "<=", here * most, given),
        Statement(spread, "<=", Fraction(four) * (1 + most / M**2) * loss, given),
    )


@proves("LDL:T1/late", statements)
@cache
def scores() -> Theorem:
    """The scores of a query on all other classes are equal, and all of them add up to 0."""
    (none, _), square = of_two_classes(), gates()
    return calc(
        others * (M * q),
        ("==", others * (M * on_the_line().rhs), scaled(others * M, on_the_line())),
        ("==", M * q_own * (others * same(m, k)) - q_own * others**2),
        ("==", -q_own * others**2, scaled(M * q_own, none)),
        ("==", -(others * q_own), scaled(-q_own, square)),
    )


@proves("LDL:T1/late", statements, part=2)
def odds_stay_small() -> Theorem:
    return bounded_odds()


@proves("LDL:T1/late", statements, part=3)
@cache
def loss_stays_large() -> Theorem:
    """The mean over the queries."""
    factor, total = 2 * (1 + odds() / M**2), integrate("coordinates", (k,), loss_of_a_query(), (K,))
    kept = lambda e: instantiate(each_class, {m: k, c: ((h,), instantiated(e, {k: h}))})
    one, all_ = kept(term(1)), kept(error)
    number_ = calc(of_k(here), ("==", of_k(term(1)), one), ("==", K))
    return calc(
        spread,
        ("==", spread / K * K),
        ("==", spread / K * of_k(here), symm(scaled(spread / K, number_))),
        ("==", 1 / K * total.lhs),
        ("<=", 1 / K * total.rhs, times(1 / K, total)),
        ("==", factor / K * all_.lhs),
        ("==", factor / K * all_.rhs, scaled(factor / K, all_)),
        ("==", 2 * factor * loss),
        ("==", 4 * (1 + odds() / M**2) * loss),
    )
