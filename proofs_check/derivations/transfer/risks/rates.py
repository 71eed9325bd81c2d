"""Rates averaged over the tasks: sigma^p ln(L)^a/L^{c/sigma^2} for a random sigma with twelve
moments (OURS:E.moments, and Assumption 4.2 (ii) of Boursier & Boyer).

The number sigma^2, whose logarithm is written, is any positive function of the task, and x is ln L.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, choose, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves

task = Variable("mu", Sort.TASK)
square = exp(Function("logsigma2", (Sort.TASK,))(task))
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
    whole, inner = bound(order, a, w**6), c * x / (order * w)
    peak = instantiate(show(u * exp(1 - u), "<=", 1), {u: inner})
    power = calc((inner * exp(1 - inner)) ** order, ("<=", term(1) ** order, peak), ("==", 1))
    return calc(
        rate(c, 6 - order, a, w),
        ("==", whole * (inner * exp(1 - inner)) ** order),
        ("<=", whole, power, whole, power.lhs),
    )


@proves("OURS:E.moments", statement)
@cache
def theorem() -> Theorem:
    """The mean of the pointwise bound."""
    point = instantiate(pointwise(), {w: square})
    return show(mean(rate(c, 6 - order, a)), "<=", bound(order, a, twelfth), point)


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
def sixth_power(c2: Variable) -> Theorem:
    """E sigma^6 ln(L)/L^{c_2/sigma^2} <= (3/(c_2 e))^3 S/ln(L)^2: the bound for k = 3 and a = 1."""
    k, log_power = term(3), term(1)
    return calc(
        mean(rate(c2, 3, 1)),
        ("<=", bound(k, log_power, twelfth, c2), instantiate(theorem(), {order: k, a: log_power, c: c2})),
        ("<=", bound(k, log_power, S, c2), finite),
    )


@proves("BB:A4.2.red", second_half_statements, part=1)
@cache
def second_half() -> Theorem:
    """The bound for k = 6 and a = 4."""
    at = instantiate(theorem(), {order: term(6), a: term(4)})
    return show(mean(rate(c, 0, 4)), "<=", constant * twelfth / x**2, at)


@proves("BB:A4.2.red", second_half_statements, part=2)
@cache
def second_half_tends_to_zero() -> Theorem:
    """The bound is at most epsilon where ln(L)^2 >= (6/(ce))^6 S/epsilon."""
    return calc(
        second_half(),
        ("<=", constant * S / x**2, finite),
        ("<=", eps, long_prompts, constant * S, x**2),
    )


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
    value, large, small = rate(c, 4, 2, w), Op("ind", (w - K,)), Op("above", (K - w,))
    far, near = (2 / (c * exp(1))) ** 2 * w**6, (3 / (c * exp(1))) ** 3 * w**6
    there, elsewhere = show(value, "<=", far, second), show(value * x / w, "<=", near, third)
    return calc(
        value,
        ("<=", large * far + small * value, there, value, far),
        ("<=", large * far + near * K / x, show(small * value, "<=", near * K / x, elsewhere, value, near)),
    )


@proves("OURS:E.moments/limit", limit_statements, part=1)
@cache
def eighth_power_bounded(tail: Theorem = tail) -> Theorem:
    """The mean of `eighth_power` over the tasks, with a bound of E[sigma^12; sigma^2 >= K]."""
    first, second = (2 / (c * exp(1))) ** 2, (3 / (c * exp(1))) ** 3 * K / x
    return calc(
        mean(rate(c, 4, 2)),
        ("<=", first * tail.lhs + second * twelfth, instantiate(eighth_power(), {w: square})),
        ("<=", left_open(delta=tail.rhs), tail, finite),
    )


@proves("OURS:E.moments/limit", limit_statements, part=2)
@cache
def eighth_power_is_small() -> Theorem:
    """Both halves are at most epsilon/2."""
    second = (3 / (c * exp(1))) ** 3 * K * S
    return calc(eighth_power_bounded(chosen(half)), ("<=", eps, show(second / x, "<=", eps / 2, enough)))
