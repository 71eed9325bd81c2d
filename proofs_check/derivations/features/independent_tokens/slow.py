"""T1/late: after T steps of gradient descent from Q = 0 on prompts of independent tokens the gap
between the scores is at most of the order of log(T K^2), and the loss at least of the order K/T.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, discharge, induction, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Range
from numerics.derivations.kernel.terms import FIRST, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.first_steps import counted as one_more
from proofs_check.derivations.features.any_prompts.first_steps import number, uncounted
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    counted,
    eta,
    here,
    k,
    m,
    spread,
    zero_or_one,
)
from proofs_check.derivations.features.independent_tokens.attention import here_between
from proofs_check.derivations.features.independent_tokens.descent import (
    SETTING,
    at_first,
    gap,
    growth,
    later_own,
    loss,
    on_the_line,
    q,
    q_own,
    scores_so_far,
    step_so_far,
    t,
)
from proofs_check.derivations.features.independent_tokens.late import long, sizes, x
from proofs_check.derivations.features.steps import product, scaled, times
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
    """delta_kk e^{2z} <= delta_kk (1 + 34 eta sigma_f^2 K^2 T/M), as e^{2s} <= 1 + 4 s for s <= 8/27."""
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
        ("<=", before + 4 * rate * here * slow.rhs, times(4 * rate * here, slow, product(4 * rate, here, least))),
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
