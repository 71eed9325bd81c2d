"""Theorem 3.4 of Collins et al. from above: no width above the printed order is a minimiser, as the
loss is smaller at Lambda^{2/(d + 2)}, with Lambda = n L^2/sigma^2.

All widths are powers of rho = Lambda^{-1/(d + 2)}, at most 1. The width of comparison is v^{-2}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range
from numerics.derivations.kernel.terms import Defined, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import d, prompt
from proofs_check.derivations.window.uniform.across import given as directions
from proofs_check.derivations.window.uniform.across import signal_at
from proofs_check.derivations.window.uniform.bias_order import (
    on_the_line,
)
from proofs_check.derivations.window.uniform.cap_measure import dimension, m, power, q
from proofs_check.derivations.window.uniform.kernel_means import low, w
from proofs_check.derivations.window.uniform.loss_bounds import (
    T_,
    K,
    Lip,
    T,
    Value,
    affine,
    affine_signal,
    bias_at,
    error,
    relu,
    sigma,
    signal,
    uniform,
)
from proofs_check.derivations.window.uniform.narrower import less_even, more, width
from proofs_check.derivations.window.uniform.noise_order import (
    given,
    least,
    lower_bound,
    most,
    noise,
    upper_bound,
)

v = Variable("rho", range=Range(Fraction(0), Fraction(1), True, False))
best, log_v = 1 / v**2, log(v)
#: The share of the tokens in the window, and the constants of the losses and of the widths.
near = Defined("c_5", low * power(term(Fraction(1, 2))))
part = ((1 + near) / near) ** 2
bias_there = 4 * K + (low * K) ** 2 + 12288 * K**3
costs_there = 32 * low * K + 100 * 2**25 * K**6
of_both = Defined("c_6", bias_there + d * costs_there + most)
narrow = Defined("c_7", 1 + 151 * d * of_both * part)
wide_ = Defined("c_8", 1 + of_both / least)


def loss(value: Value, at: Term) -> Term:
    """The in-context loss at a width."""
    return bind("query", (q,), instantiated(signal(value) + sigma**2 * noise, {w: at}))


@cache
def range_of_noise(least: int | Fraction = 1) -> tuple[Theorem, Theorem]:
    """rho = Lambda^{-1/(d + 2)}, and least L^2 n^{-2/d} <= sigma^2."""
    level = term(1) if least == 1 else exp(d / (d + 2) * log(term(Fraction(least))))
    return (
        assume("rho = (sigma^2/(n L^2))^{1/(d + 2)}", sigma**2, "==", n * Lip**2 * exp((d + 2) * log_v)),
        assume("sigma^2 >= L^2 n^{-2/d}, that is n rho^d >= 1", level, "<=", n * exp(d * log_v)),
    )


@cache
def small() -> Theorem:
    """log v <= 0."""
    return show(log_v, "<=", 0)


@cache
def few_tokens() -> Theorem:
    """v^{-m} <= n v."""
    power_ = show((d - m) * log_v, "<=", log_v, dimension())
    return calc(
        exp(-m * log_v),
        ("<=", exp(-m * log_v) * (n * exp(d * log_v)), gcongr(exp(-m * log_v) * 1, range_of_noise()[1])),
        ("==", n * exp((d - m) * log_v)),
        ("<=", n * exp(log_v), power_),
        ("==", n * v),
    )


@cache
def of_the_noise() -> Theorem:
    """sigma^2 v^{-m}/n = L^2 v^3."""
    power_ = show((d + 2 - m) * log_v, "<=", 3 * log_v, dimension())
    return calc(
        sigma**2 * exp(-m * log_v) / n,
        ("==", range_of_noise()[0].rhs * exp(-m * log_v) / n, range_of_noise()[0]),
        ("==", Lip**2 * exp((d + 2 - m) * log_v)),
        ("<=", Lip**2 * exp(3 * log_v), power_),
        ("==", Lip**2 * v**3),
    )


@cache
def back_to_the_noise() -> Theorem:
    """L^2 v^3 = sigma^2 v^{-m}/n."""
    power_ = show(3 * log_v, "<=", (d + 2 - m) * log_v, dimension())
    return calc(
        Lip**2 * v**3,
        ("==", Lip**2 * exp(3 * log_v)),
        ("<=", Lip**2 * exp((d + 2 - m) * log_v), power_),
        ("==", range_of_noise()[0].rhs * exp(-m * log_v) / n),
        ("==", sigma**2 * exp(-m * log_v) / n, range_of_noise()[0]),
    )


@cache
def share_of_the_window() -> Theorem:
    """w^{m/2}/n <= v at the width v^{-2}."""
    tokens = few_tokens()
    return calc(
        power(best) / n, ("==", tokens.lhs / n), ("<=", v, show(tokens.lhs / n, "<=", v, tokens, tokens.lhs))
    )


@cache
def noise_there() -> Theorem:
    """sigma^2 E sum gamma^2 is at most C L^2 v^3 at the width v^{-2}."""
    bound = upper_bound(best, arithmetic(1, "<=", best))
    return calc(
        gcongr(sigma**2 * bound.lhs, bound),
        ("==", most * of_the_noise().lhs),
        ("<=", most * Lip**2 * v**3, of_the_noise()),
    )


@cache
def bias_of_the_best() -> Theorem:
    """E |h - x|^2 is at most C v^3 at the width v^{-2}."""
    share, found = share_of_the_window(), bias_at(best, arithmetic(1, "<=", best))
    x_ = share.lhs
    less = calc(
        found.rhs,
        ("==", 4 * K * v**2 * x_ + (low * K) ** 2 * v**4 + 12288 * K**3 * x_**3),
        ("<=", 4 * K * v**2 * v + (low * K) ** 2 * v**4 + 12288 * K**3 * v**3, share),
        ("<=", bias_there * v**3, K, low),
    )
    return chain(found, less)


@cache
def affine_signal_there() -> Theorem:
    bias_ = bias_of_the_best()
    smaller = arithmetic(Lip**2 / (3 * d), "<=", Lip**2)
    return calc(
        instantiate(affine_signal(), {w: best}),
        ("<=", Lip**2 / (3 * d) * bias_.rhs, bias_),
        ("<=", Lip**2 * bias_.rhs, smaller, bias_.rhs),
        ("<=", Lip**2 * (bias_there + d * costs_there) * v**3),
    )


@cache
def relu_signal_there() -> Theorem:
    wide, share = arithmetic(1, "<=", best), share_of_the_window()
    bias_, found = bias_of_the_best(), signal_at(best, wide)
    costs = 32 * low * K / best + 100 * best**2 * (2**25 * (K * power(best) / n) ** 6)
    less = calc(
        costs,
        ("==", 32 * low * K * v**2 + 100 * 2**25 * K**6 / v**4 * share.lhs**6),
        ("<=", 32 * low * K * v**2 + 100 * 2**25 * K**6 / v**4 * v**6, share),
        ("==", costs_there * v**2),
    )
    return calc(
        found,
        ("<=", Lip**2 / 3 * (2 * bias_.rhs / d + 3 * d * v * less.rhs), bias_, less),
        ("<=", Lip**2 * (bias_there + d * costs_there) * v**3),
    )


@cache
def loss_there(value: Value) -> Theorem:
    """The loss of affine tasks, and that of ReLU tasks, is at most c_6 L^2 v^3 at v^{-2}."""
    value_ = affine_signal_there() if value is affine else relu_signal_there()
    both = gcongr(value_.lhs + noise_there().lhs, value_, noise_there())
    return chain(loss(value, best), integrate("query", (q,), both), of_both * Lip**2 * v**3)


#: Widths, and the one beyond which none is best.
omega, omega_ = Variable("omega", range=POSITIVE), Variable("omega_", range=NONNEGATIVE)
log_up = 2 / m * log(wide_) - 2 * log_v
beyond = exp(log_up)


@cache
def enough_for_the_end() -> Theorem:
    """The number of tokens is at least a constant."""
    return assume("n >= c_8^d", exp(d * log(wide_)), "<=", n)


@cache
def tokens_of_the_end() -> Theorem:
    """c_8 <= n rho^m: to the power d it is n (n rho^d)^m >= n."""
    N, size = log(n), log(wide_)
    low, high = range_of_noise()[1], enough_for_the_end()
    range_ = calc(0, ("<=", log(low.rhs), low, low.rhs), ("==", N + d * log_v))
    many = calc(d * size, ("==", log(high.lhs)), ("<=", N, high, high.lhs))
    logs = show(size, "<=", N + m * log_v, range_, many, dimension(), N, log_v, size)
    return calc(wide_, ("==", exp(size)), ("<=", exp(N + m * log_v), logs), ("==", n * exp(m * log_v)))


@cache
def noise_beyond() -> tuple[Theorem, Theorem]:
    """c_6 L^2 rho^3 < c_8 c L^2 rho^3 <= sigma^2 E sum gamma^2 at the width c_8^{2/m} rho^{-2}."""
    y = Variable("y", range=REALS)
    inverse = instantiate(show(log(exp(y)), "==", y), {y: log_up})
    size = show(0, "<=", log(wide_))
    wide = calc(
        1,
        ("==", exp(0 * log_v)),
        ("<=", beyond, show(0 * log_v, "<=", log_up, small(), size, log(wide_), log_v)),
    )
    at = calc(power(beyond), ("==", exp(m / 2 * log_up), inverse), ("==", wide_ * exp(-m * log_v)))
    back = calc(power(1 / beyond), ("==", exp(-m / 2 * log_up), inverse), ("==", exp(m * log_v) / wide_))
    tokens = tokens_of_the_end()
    enough = calc(
        1, ("==", wide_ / wide_), ("<=", tokens.rhs / wide_, tokens), ("==", n * power(1 / beyond), back)
    )
    bound = lower_bound(beyond, wide, enough)
    level = back_to_the_noise()
    gap = calc(of_both, ("<", least + of_both), ("==", least * (1 + of_both / least)))
    gap = chain(gap, least * wide_)
    value = Lip**2 * v**3
    return (
        show(of_both * value, "<", least * wide_ * value, gap, of_both, least * wide_, Lip, v),
        calc(
            gcongr(least * wide_ * value, level),
            ("==", sigma**2 * (least * (wide_ * exp(-m * log_v)) / n)),
            ("==", sigma**2 * bound.lhs, at),
            ("<=", sigma**2 * bound.rhs, bound),
        ),
    )


def ahead() -> Theorem:
    return assume("w > C Lambda^{2/(d + 2)}", beyond, "<", omega)


def of_uniform_tokens(*more: Theorem, least: int | Fraction = 1) -> frozenset[Assumption]:
    """What the theorem assumes: uniform tokens, tasks, and the range of the noise."""
    return hypotheses(*given(), *uniform(), on_the_line(), *range_of_noise(least), *more)


def kinks(value: Value) -> tuple[Theorem, ...]:
    """What is assumed of ReLU tasks, and not of affine ones."""
    return directions() if value is relu else ()


def upper_statement(value: Value, times: int | Fraction = 1) -> Statement:
    """No width above C Lambda^{2 times/(d + 2)} is a minimiser for these tasks."""
    end = exp(2 / m * log(wide_) - 2 * Fraction(times) * log_v)
    late = assume("w > C Lambda^{2/(d + 2)}", end, "<", omega)
    given_ = of_uniform_tokens(enough_for_the_end(), late, *kinks(value))
    return Statement(loss(value, best), "<", loss(value, omega), given_)


@cache
def from_above(value: Value, late: Theorem | None = None) -> Theorem:
    """The noise at a width beyond C Lambda^{2/(d + 2)} is above the loss at rho^{-2}."""
    return chain(loss_there(value), noise_at_a_narrow_window(value, late or ahead()))


@cache
def no_signal(value: Value) -> Theorem:
    """0 <= the signal term."""
    point = integrate("task", (T_,), show(0, "<=", error(value) ** 2))
    return chain(0, integrate("prompt", (prompt,), integrate("task", (T,), point)), signal(value))


@cache
def noise_at_a_narrow_window(value: Value, late: Theorem) -> Theorem:
    """c_6 L^2 rho^3 < the loss beyond C Lambda^{2/(d + 2)}, by the noise term."""
    wider = omega - beyond
    gap = show(0, "<", wider, late, omega, beyond)
    even = instantiate(less_even(), {width: beyond, more: wider}, gap)
    even = integrate("prompt", (prompt,), even)
    strict, level = noise_beyond()
    noise_ = sigma**2 * instantiated(noise, {w: omega})
    last = chain(level, gcongr(sigma**2 * even.lhs, even), 0 + noise_)
    last = chain(last, gcongr(0 + noise_, instantiate(no_signal(value), {w: omega})))
    return chain(strict, strict.rhs, integrate("query", (q,), last), loss(value, omega))
