"""Rates averaged over the tasks: sigma^p ln(L)^a/L^{c/sigma^2} for a random sigma with twelve
moments (OURS:E.moments, and Assumption 4.2 (ii) of Boursier & Boyer).

The number sigma^2 = e^s is any positive function of the task, and x is ln L.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, choose, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from proofs_check.derivations.transfer.risks.outcomes import mean as over_outcomes

task = Variable("mu", Sort.TASK)
square = exp(Function("s", (Sort.TASK,))(task))
w, u, x, c, order, K, S, eps, delta = (
    Variable(name, range=POSITIVE) for name in ("w", "u", "lnL", "c", "k", "K", "S", "epsilon", "delta")
)
a = Variable("a", range=REALS)


def mean(body: Term) -> Term:
    """The mean over the tasks."""
    return bind("task", (task,), body)


twelfth = mean(square**6)


def rate(c: Term, power: Term | int, log_power: Term | int, of: Term = square) -> Term:
    """sigma^{2 power} ln(L)^{log_power}/L^{c/sigma^2}."""
    return of**power * x**log_power * exp(-c * x / of)


def bound(order: Term, log_power: Term, moment: Term, c: Term = c) -> Term:
    """(k/(ce))^k E sigma^12 ln(L)^{a - k}."""
    return (order / (c * exp(1))) ** order * moment * x ** (log_power - order)


def of_the_paper(name: str, square: Term, most: Term, *every: Variable) -> Theorem:
    """A bound of a mean square that the paper proves elsewhere."""
    named = name.removesuffix(" at every task")
    return assume(
        name,
        square,
        "<=",
        most,
        every=every,
        argument=f"{named} is read at every task, with constants for all of them",
    )


def at_every_task(name: str, square: Term, given: str, most: Term) -> tuple[Theorem, Theorem]:
    """The hypotheses that a mean square given the task has a bound, as somebody shows, and that its
    mean over the tasks is the mean square over the outcome.
    """
    of_the_task = Function(given, (Sort.TASK,), Fraction(1))(task)
    return (
        of_the_paper(f"{name} at every task", of_the_task, most, task),
        assume(f"{given} is a mean given the task", over_outcomes(square), "==", mean(of_the_task)),
    )


def on_average(given: tuple[Theorem, Theorem], *more: Theorem) -> Theorem:
    """What holds at every task, or what follows from it there, on average."""
    proposition, tower = given
    return chain(tower, integrate("task", (task,), chain(proposition, *more)))


def left_open(c: Term = c, delta: Term = delta) -> Term:
    """(2/(ce))^2 delta + (3/(ce))^3 K S/ln L."""
    return (2 / (c * exp(1))) ** 2 * delta + (3 / (c * exp(1))) ** 3 * K * S / x


def statement(factor: int | Fraction = 1) -> Statement:
    """E sigma^p ln(L)^a/L^{c/sigma^2} <= factor (k/(ce))^k E sigma^12 ln(L)^{a - k} for p = 12 -
    2k.
    """
    return Statement(mean(rate(c, 6 - order, a)), "<=", Fraction(factor) * bound(order, a, twelfth))


@cache
def pointwise() -> Theorem:
    """The left side is the right side times (u e^{1 - u})^k with u = c ln(L)/(k sigma^2)."""
    inner = c * x / (order * w)
    same = arithmetic(
        rate(c, 6 - order, a, w), "==", bound(order, a, w**6) * (inner * exp(1 - inner)) ** order
    )
    peak = instantiate(arithmetic(u * exp(1 - u), "<=", 1), {u: inner})
    power = gcongr(peak.lhs**order, peak)
    power = chain(power, arithmetic(power.rhs, "==", 1))
    whole = bound(order, a, w**6)
    return chain(same, arithmetic(same.rhs, "<=", whole, power, hide=(whole, power.lhs)))


@cache
def theorem() -> Theorem:
    """The mean of the pointwise bound."""
    return integrated("task", (task,), instantiate(pointwise(), {w: square}), None, bound(order, a, twelfth))


finite = assume("E sigma^12 <= S", twelfth, "<=", S)
constant = (6 / (c * exp(1))) ** 6
long_prompts = assume("L is at least L(epsilon)", constant * S / eps, "<=", x**2)
tail = assume("E[sigma^12; sigma^2 >= K] <= delta", mean(square**6 * Op("ind", (square - K,))), "<=", delta)


def second_half_statements(factor: int | Fraction = 1) -> tuple[Statement, Statement]:
    """Assumption 4.2 (ii): E ln(L)^4/L^{c/sigma^2} <= (6/(ce))^6 E sigma^12/ln(L)^2, which is at
    most epsilon for long prompts if E sigma^12 is finite; a factor multiplies the 6 in the bracket.
    """
    left, share = mean(rate(c, 0, 4)), Fraction(factor) ** 6
    return (
        Statement(left, "<=", share * constant * twelfth / x**2),
        Statement(left, "<=", share * eps, hypotheses(finite, long_prompts)),
    )


@cache
def second_half() -> Theorem:
    """The bound for k = 6 and a = 4."""
    at = instantiate(theorem(), {order: term(6), a: term(4)})
    return chain(mean(rate(c, 0, 4)), at, constant * twelfth / x**2)


@cache
def second_half_tends_to_zero() -> Theorem:
    """The bound is at most epsilon where ln(L)^2 >= (6/(ce))^6 S/epsilon."""
    small = gcongr(second_half().rhs, finite)
    hidden = (constant * S, x**2)
    return chain(second_half(), small, arithmetic(small.rhs, "<=", eps, long_prompts, hide=hidden))


def choice(delta: Term) -> Assumption:
    """E[sigma^12; sigma^2 >= K] <= delta for a K that is chosen so."""
    return Assumption(
        "K is so large that E[sigma^12; sigma^2 >= K] is small", tail.lhs, "<=", delta, chosen=K
    )


def chosen(delta: Term) -> Theorem:
    """There is such a K, as E sigma^12 is finite."""
    return choose(choice(delta).name, finite, (task,), square**6, square, K, delta)


#: The delta with which half of epsilon goes to the tasks with sigma^2 >= K, and half to the others.
half = eps / (2 * (2 / (c * exp(1))) ** 2)
enough = assume("L is at least L(epsilon, K)", 2 * (3 / (c * exp(1))) ** 3 * K * S / eps, "<=", x)


def limit_statements(factor: int | Fraction = 1, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The case p = 8 and a = 2, in which the bound does not fall: E sigma^8 ln(L)^2/L^{c/sigma^2}
    is at most a factor times [(2/(ce))^2 delta + (3/(ce))^3 K S/ln L] if E sigma^12 <= S and
    E[sigma^12; sigma^2 >= K] <= delta; and with a K that is chosen for epsilon it is at most a
    share of epsilon for long prompts.
    """
    left = mean(rate(c, 4, 2))
    return (
        Statement(left, "<=", Fraction(factor) * left_open(), hypotheses(finite, tail)),
        Statement(left, "<=", Fraction(share) * eps, hypotheses(finite, enough) | {choice(half)}),
    )


@cache
def eighth_power() -> Theorem:
    """Where sigma^2 >= K the bound with k = 2 is used, and elsewhere that with k = 3."""
    second, third = (instantiate(pointwise(), {order: term(n), a: term(n)}) for n in (2, 3))
    large, small = Op("ind", (w - K,)), Op("above", (K - w,))
    far, near = (2 / (c * exp(1))) ** 2 * w**6, (3 / (c * exp(1))) ** 3 * w**6
    value = rate(c, 4, 2, w)
    one = chain(value, second, far)
    cubed = chain(value * x / w, third, near)
    other = arithmetic(small * value, "<=", near * K / x, cubed, hide=(value, near))
    parts = chain(arithmetic(value, "<=", large * far + small * value, one, hide=(value, far)))
    return chain(parts, gcongr(parts.rhs, other))


@cache
def eighth_power_bounded(tail: Theorem = tail) -> Theorem:
    """The mean of `eighth_power` over the tasks, with a bound of E[sigma^12; sigma^2 >= K]."""
    point = instantiate(eighth_power(), {w: square})
    first, second = (2 / (c * exp(1))) ** 2, (3 / (c * exp(1))) ** 3 * K / x
    total = first * tail.lhs + second * twelfth
    average = integrated("task", (task,), point, None, total)
    return chain(average, gcongr(total, tail, finite))


@cache
def eighth_power_is_small() -> Theorem:
    """Both halves are at most epsilon/2."""
    bound = eighth_power_bounded(chosen(half))
    second = (3 / (c * exp(1))) ** 3 * K * S
    near = arithmetic(second / x, "<=", eps / 2, enough)
    form = chain((2 / (c * exp(1))) ** 2 * half + second / x, gcongr(second / x + eps / 2, near), eps)
    return chain(bound, form)
