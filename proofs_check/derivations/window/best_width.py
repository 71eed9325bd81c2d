"""Theorem 3.4 of Collins et al.: no width outside of the printed orders is a minimiser, as the loss
is smaller at Lambda^{2/(d + 2)}, with Lambda = n L^2/sigma^2.

All widths are powers of rho = Lambda^{-1/(d + 2)}, at most 1. The width of comparison is v^{-2}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range
from numerics.derivations.kernel.terms import Defined, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.bias_order import (
    bias,
    bias_from_below,
    depths,
    distance_from_below,
    laplacian,
    no_further_than_two,
    on_the_line,
    same_sum,
    spread,
    squared,
)
from proofs_check.derivations.window.cap_measure import dimension, m, power, q
from proofs_check.derivations.window.kernel_means import low, w
from proofs_check.derivations.window.kernel_sums import d, prompt
from proofs_check.derivations.window.loss_bounds import (
    K,
    Lip,
    T,
    T_,
    Value,
    affine,
    affine_signal,
    bias_at,
    error,
    relu,
    relu_signal,
    sigma,
    signal,
    spread_at,
    uniform,
)
from proofs_check.derivations.window.narrower import average_depth, less_even, more, nearer, width
from proofs_check.derivations.window.noise_order import S, given, least, lower_bound, most, noise, orders, prompts, upper_bound, weights_squared

v = Variable("rho", range=Range(Fraction(0), Fraction(1), True, False))
best, log_v = 1 / v**2, log(v)
#: The share of the tokens in the window, and the constants of the losses and of the widths.
near = Defined("c_5", low * power(term(Fraction(1, 2))))
part = ((1 + near) / near) ** 2
of_affine = Defined("c_6", 4 * K + (low * K) ** 2 + 12288 * K**3 + most)
narrow = Defined("c_7", 1 + 76 * d * of_affine * part)
wide_ = Defined("c_8", 1 + of_affine / least)


def loss(value: Value, at: Term) -> Term:
    """The in-context loss at a width."""
    return bind("query", (q,), instantiated(signal(value) + sigma**2 * noise, {w: at}))


@cache
def range_of_noise() -> tuple[Theorem, Theorem]:
    """rho = Lambda^{-1/(d + 2)}, and L^2 n^{-2/d} <= sigma^2."""
    return (
        assume("rho = (sigma^2/(n L^2))^{1/(d + 2)}", sigma**2, "==", n * Lip**2 * exp((d + 2) * log_v)),
        assume("sigma^2 >= L^2 n^{-2/d}, that is n rho^d >= 1", 1, "<=", n * exp(d * log_v)),
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
def affine_loss() -> Theorem:
    """The loss of affine tasks at v^{-2} is at most c_6 L^2 v^3."""
    share, found = share_of_the_window(), bias_at(best, arithmetic(1, "<=", best))
    x_, D = share.lhs, Variable("D", range=POSITIVE)
    less = calc(
        found.rhs,
        ("==", 4 * K * v**2 * x_ + (low * K) ** 2 * v**4 + 12288 * K**3 * x_**3),
        ("<=", 4 * K * v**2 * v + (low * K) ** 2 * v**4 + 12288 * K**3 * v**3, share),
        ("<=", (4 * K + (low * K) ** 2 + 12288 * K**3) * v**3, K, low),
    )
    bias_ = chain(found, less)
    there, whole = {w: best}, instantiate(affine_signal(), {w: best})
    smaller = arithmetic(Lip**2 / (3 * d), "<=", Lip**2)
    value = calc(
        whole,
        ("<=", Lip**2 / (3 * d) * less.rhs, bias_),
        ("<=", Lip**2 * less.rhs, smaller, less.rhs),
    )
    both = calc(
        gcongr(whole.lhs + noise_there().lhs, value, noise_there()), ("==", of_affine * Lip**2 * v**3)
    )
    return chain(loss(affine, best), integrate("query", (q,), both), of_affine * Lip**2 * v**3)


#: Widths, and the one beyond which none is best.
omega, omega_ = Variable("omega", range=POSITIVE), Variable("omega_", range=NONNEGATIVE)
log_up = 2 / m * log(wide_) - 2 * log_v
beyond = exp(log_up)


@cache
def few_enough() -> Theorem:
    """The noise is not too strong: sigma^2 <= c n L^2 for a constant c."""
    return assume("sigma^2 <= c n L^2, as c_8 rho <= 1", wide_ * v, "<=", 1)


@cache
def noise_beyond() -> tuple[Theorem, Theorem]:
    """c_6 L^2 rho^3 < c_8 c L^2 rho^3 <= sigma^2 E sum gamma^2 at the width c_8^{2/m} rho^{-2}."""
    y = Variable("y", range=REALS)
    inverse = instantiate(show(log(exp(y)), "==", y), {y: log_up})
    size = show(0, "<=", log(wide_))
    wide = calc(1, ("==", exp(0 * log_v)), ("<=", beyond, show(0 * log_v, "<=", log_up, small(), size, log(wide_), log_v)))
    at = calc(power(beyond), ("==", exp(m / 2 * log_up), inverse), ("==", wide_ * exp(-m * log_v)))
    back = calc(power(1 / beyond), ("==", exp(-m / 2 * log_up), inverse), ("==", exp(m * log_v) / wide_))
    tokens = few_tokens()
    enough = calc(1, ("==", tokens.lhs * exp(m * log_v)), ("<=", n * v * exp(m * log_v), tokens))
    short = show(v, "<=", 1 / wide_, few_enough(), wide_)
    enough = calc(enough, ("<=", n * (1 / wide_) * exp(m * log_v), short), ("==", n * power(1 / beyond), back))
    bound = lower_bound(beyond, wide, enough)
    power_ = show(3 * log_v, "<=", (d + 2 - m) * log_v, dimension())
    level = calc(
        Lip**2 * v**3,
        ("==", Lip**2 * exp(3 * log_v)),
        ("<=", Lip**2 * exp((d + 2 - m) * log_v), power_),
        ("==", range_of_noise()[0].rhs * exp(-m * log_v) / n),
        ("==", sigma**2 * exp(-m * log_v) / n, range_of_noise()[0]),
    )
    gap = calc(of_affine, ("<", least + of_affine), ("==", least * (1 + of_affine / least)))
    gap = chain(gap, least * wide_)
    value = Lip**2 * v**3
    return (
        show(of_affine * value, "<", least * wide_ * value, gap, of_affine, least * wide_, Lip, v),
        calc(
            gcongr(least * wide_ * value, level),
            ("==", sigma**2 * (least * (wide_ * exp(-m * log_v)) / n)),
            ("==", sigma**2 * bound.lhs, at),
            ("<=", sigma**2 * bound.rhs, bound),
        ),
    )


def ahead() -> Theorem:
    return assume("w > C Lambda^{2/(d + 2)}", beyond, "<", omega)


def of_uniform_tokens(*more: Theorem) -> frozenset[Assumption]:
    """What the theorem assumes: uniform tokens, tasks, and the range of the noise."""
    return hypotheses(*given(), *uniform(), on_the_line(), *range_of_noise(), *more)


def upper_statement(times: int | Fraction = 1) -> Statement:
    """No width above C Lambda^{2 times/(d + 2)} is a minimiser for affine tasks."""
    end = exp(2 / m * log(wide_) - 2 * Fraction(times) * log_v)
    late = assume("w > C Lambda^{2/(d + 2)}", end, "<", omega)
    return Statement(loss(affine, best), "<", loss(affine, omega), of_uniform_tokens(few_enough(), late))


@proves("COL:T3.4/affine.upper", upper_statement)
@cache
def affine_from_above() -> Theorem:
    """The noise at a width beyond C Lambda^{2/(d + 2)} is above the loss at rho^{-2}."""
    return chain(affine_loss(), noise_at_a_narrow_window(affine))


@cache
def no_signal(value: Value) -> Theorem:
    """0 <= the signal term."""
    point = integrate("task", (T_,), show(0, "<=", error(value) ** 2))
    return chain(0, integrate("prompt", (prompt,), integrate("task", (T,), point)), signal(value))


@cache
def noise_at_a_narrow_window(value: Value) -> Theorem:
    """c_6 L^2 rho^3 < the loss beyond C Lambda^{2/(d + 2)}, by the noise term."""
    wider = omega - beyond
    gap = show(0, "<", wider, ahead(), omega, beyond)
    even = instantiate(less_even(), {width: beyond, more: wider}, gap)
    even = integrate("prompt", (prompt,), even)
    strict, level = noise_beyond()
    noise_ = sigma**2 * instantiated(noise, {w: omega})
    last = chain(level, gcongr(sigma**2 * even.lhs, even), 0 + noise_)
    last = chain(last, gcongr(0 + noise_, instantiate(no_signal(value), {w: omega})))
    return chain(strict, strict.rhs, integrate("query", (q,), last), loss(value, omega))


@cache
def as_depths() -> Theorem:
    """The average squared distance is twice the average depth."""
    return chain(spread, gcongr(spread, same_sum()), 2 * average_depth(w))


@cache
def as_distances() -> Theorem:
    return calc(2 * average_depth(w), ("==", 2 * depths / S), ("<=", squared / S, same_sum(), depths, squared, S))


@cache
def bias_before(at: Term, one: Theorem, enough: Theorem, early: Theorem) -> Theorem:
    """(c_5/(5 w (1 + c_5)))^2 <= E |h - x|^2 at every width below w >= 1, if n w^{-m/2} >= 1."""
    below, here = orders(at, one)[0], {w: at}
    share = calc(near, ("<=", near * (n * power(1 / at)), gcongr(near * 1, enough)), ("==", n * below.lhs))
    share = calc(share, ("<=", n * below.rhs, below))
    M, y, z = below.rhs, Variable("y", range=POSITIVE), Variable("z", range=NONNEGATIVE)
    share = show(near / (1 + near), "<=", n * M / (1 + n * M), share, near, n * M)
    slope = arithmetic(1 / (5 * at), "<=", m / (m + 4 * at), one, hide=(at,))
    level = near / (5 * at * (1 + near))
    ahead_ = calc(
        level,
        ("==", 1 / (5 * at) * (near / (1 + near))),
        ("<=", m / (m + 4 * at) * (n * M / (1 + n * M)), slope, share),
    )
    found = instantiate(distance_from_below(), here)
    ahead_ = calc(2 * level, ("<=", 2 * ahead_.rhs, ahead_), ("==", found.lhs), ("<=", found.rhs, found))
    gap = show(0, "<", at - omega_, early, at)
    closer = chain(average_depth(at), instantiate(nearer(), {width: omega_, more: at - omega_}, gap))
    there, before = instantiate(as_depths(), here), instantiate(as_distances(), {w: omega_})
    closer = chain(there, gcongr(there.rhs, closer), before)
    spread_ = before.rhs
    ahead_ = chain(ahead_, integrate("prompt", (prompt,), closer), prompts(spread_))
    # As a largest value the square stays whole under the mean.
    whole = lambda z: Op("max", ((z / 2) ** 2, term(0)))
    tangent = instantiate(arithmetic(y * z, "<=", y**2 + whole(z)), {z: spread_})
    second = prompts(whole(spread_))
    tangent = chain(y * prompts(spread_), integrate("prompt", (prompt,), tangent), y**2 + second)
    both = calc(
        2 * level**2, ("==", level * ahead_.lhs), ("<=", level * ahead_.rhs, gcongr(level * ahead_.lhs, ahead_))
    )
    both = chain(both, instantiate(tangent, {y: level}))
    short = show(whole(spread), "<=", 4, no_further_than_two(), spread)
    short = instantiate(integrate("prompt", (prompt,), short), {w: omega_})
    short = calc(short, ("<=", term(4)))
    return calc(
        level**2,
        ("<=", second, both, short, level, second),
        ("<=", prompts((spread_ / 2) ** 2), instantiate(arithmetic(whole(z), "<=", (z / 2) ** 2), {z: spread_})),
        ("<=", prompts(instantiated(bias, {w: omega_})), instantiate(bias_from_below(), {w: omega_})),
    )


def first_width(exponent: Term | Fraction, constant: Term) -> Term:
    """Lambda to the power of exponent/(d + 2), over the root of a constant."""
    return exp(-exponent * log_v) / sqrt(constant)


def early(exponent: Term | Fraction, constant: Term) -> Theorem:
    return assume("w < c Lambda^a", omega_, "<", first_width(exponent, constant))


@cache
def enough_tokens() -> Theorem:
    """1 <= n rho^m."""
    tokens = few_tokens()
    most_ = calc(tokens, ("<=", n * 1, arithmetic(v, "<=", 1)))
    return calc(1, ("==", exp(m * log_v) * tokens.lhs), ("<=", n * exp(m * log_v), most_))


@cache
def before_the_order(exponent: Term | Fraction, constant: Term, *of: Theorem) -> Theorem:
    """(1/part) rho^{2 exponent} constant/25 <= E |h - x|^2 below the first width, from constant >= 1,
    constant rho <= 1, and 1/2 <= exponent <= 2.
    """
    large, short, least_, most_ = of
    at, root, wide = first_width(exponent, constant), sqrt(constant), exp(-exponent * log_v)
    logs = show(-log_v / 2, "<=", -exponent * log_v, small(), least_, log_v)
    steep = show(-exponent * log_v, "<=", -2 * log_v, small(), most_, log_v)
    half = calc(root, ("<=", 1 / sqrt(v), show(root, "<=", 1 / sqrt(v), short, constant)), ("==", exp(-log_v / 2)))
    one = calc(1, ("==", root / root), ("<=", exp(-log_v / 2) / root, half, root, half.rhs), ("<=", at, logs))
    over_one = show(1 / root, "<=", 1, large, constant)
    far = chain(at, gcongr(wide * over_one.lhs, over_one), wide)
    far = calc(far, ("<=", exp(-2 * log_v), steep), ("==", 1 / v**2))
    far = show(v**2, "<=", 1 / at, far, at)
    tokens = calc(
        enough_tokens(), ("==", n * power(v**2)), ("<=", n * power(1 / at), gcongr(n * power(v**2), far))
    )
    found = bias_before(at, one, tokens, early(exponent, constant))
    scale = exp(exponent * log_v)
    value = ((1 + near) / near) ** 2
    return calc(
        constant * scale**2 / (25 * value), ("==", found.lhs, near, constant), ("<=", found.rhs, found)
    )


def lower_statement(times: int = 1) -> Statement:
    """No width below c Lambda^{times/(d + 4)} is a minimiser for affine tasks."""
    given_ = of_uniform_tokens(laplacian(), narrow_enough(), early(times * (d + 2) / (d + 4), narrow))
    return Statement(loss(affine, best), "<", loss(affine, omega_), given_)


@cache
def narrow_enough() -> Theorem:
    """The noise is not too strong, for another constant."""
    return assume("sigma^2 <= c n L^2, as c_7 rho <= 1", narrow * v, "<=", 1)


@proves("COL:T3.4/affine.lower", lower_statement)
@proves("COL:T3.4/range", lower_statement)
@proves("COL:E.2/lower", lower_statement)
@cache
def affine_from_below() -> Theorem:
    """The signal term at a width below c Lambda^{1/(d + 4)} is above the loss at rho^{-2}."""
    exponent = 1 * (d + 2) / (d + 4)
    least_, most_ = arithmetic(Fraction(1, 2), "<=", exponent), arithmetic(exponent, "<=", 1)
    large = show(1, "<=", narrow)
    found = before_the_order(exponent, narrow, large, narrow_enough(), least_, calc(most_, ("<=", 2)))
    steep = show(3 * log_v, "<=", 2 * exponent * log_v, small(), most_, log_v)
    cube, share = Lip**2 / (3 * d), ((1 + near) / near) ** 2
    level = calc(
        of_affine * Lip**2 * v**3,
        ("<", cube * (1 + 76 * d * of_affine * share) / (25 * share) * v**3),
    )
    factor = cube * narrow / (25 * share)
    level = calc(chain(level, factor * v**3), ("==", factor * exp(3 * log_v), factor))
    return chain(affine_loss(), level, above_the_level(affine, level.rhs, steep, cube, found, affine_signal()))


@cache
def above_the_level(
    value: Value, level: Term, steep: Theorem, scale: Term, found: Theorem, part_: Theorem
) -> Theorem:
    """The level is at most the loss: it is at most a share of E |h - x|^2, which bounds the signal."""
    there = {w: omega_}
    silent = chain(0, integrate("prompt", (prompt,), show(0, "<=", weights_squared, weights_squared)), noise)
    silent = instantiate(gcongr(sigma**2 * silent.lhs, silent), there)
    own = instantiate(part_, there)
    least_ = gcongr(own.rhs, own) if own.op == "==" else own
    point = calc(
        level,
        ("<=", scale * found.lhs, steep),
        ("<=", scale * found.rhs, found),
        ("<=", instantiated(signal(value), there), least_),
    )
    whole = chain(point, point.rhs + silent.lhs, gcongr(point.rhs + silent.lhs, silent))
    return chain(level, integrate("query", (q,), whole), loss(value, omega_))


#: The constants of ReLU tasks.
of_relu = Defined("c_9", 2 * low * K + 12288 * K**3 + most)
narrow_relu = Defined("c_10", 1 + 151 * d * of_relu * part)


@cache
def relu_loss() -> Theorem:
    """The loss of ReLU tasks at rho^{-2} is at most c_9 L^2 rho^2."""
    share, found = share_of_the_window(), spread_at(best, arithmetic(1, "<=", best))
    less = calc(
        found.rhs,
        ("==", 2 * low * K * v**2 + 12288 * K**3 * share.lhs**3),
        ("<=", 2 * low * K * v**2 + 12288 * K**3 * v**3, share),
        ("<=", (2 * low * K + 12288 * K**3) * v**2, K, low),
    )
    whole = instantiate(relu_signal()[1], {w: best})
    smaller = arithmetic(Lip**2 / (3 * d), "<=", Lip**2)
    value = calc(
        whole,
        ("<=", Lip**2 / (3 * d) * less.rhs, chain(found, less)),
        ("<=", Lip**2 * less.rhs, smaller, less.rhs),
    )
    short = arithmetic(v**3, "<=", v**2)
    noise_ = chain(noise_there(), gcongr(most * Lip**2 * v**3, short))
    both = gcongr(whole.lhs + noise_.lhs, value, noise_)
    return chain(loss(relu, best), integrate("query", (q,), both), of_relu * Lip**2 * v**2)


def relu_lower_statement(times: int = 1) -> Statement:
    """No width below c Lambda^{times/(d + 2)} is a minimiser for ReLU tasks."""
    given_ = of_uniform_tokens(laplacian(), narrow_for_relu(), early(Fraction(times), narrow_relu))
    return Statement(loss(relu, best), "<", loss(relu, omega_), given_)


@cache
def narrow_for_relu() -> Theorem:
    return assume("sigma^2 <= c n L^2, as c_10 rho <= 1", narrow_relu * v, "<=", 1)


@proves("COL:T3.4/relu.lower", relu_lower_statement)
@proves("COL:E.1/lower", relu_lower_statement)
@cache
def relu_from_below() -> Theorem:
    """The signal term at a width below c Lambda^{1/(d + 2)} is above the loss at rho^{-2}."""
    exponent, large = Fraction(1), show(1, "<=", narrow_relu)
    ends = (show(term(Fraction(1, 2)), "<=", exponent), show(term(1), "<=", 2))
    found = before_the_order(exponent, narrow_relu, large, narrow_for_relu(), *ends)
    steep = show(2 * log_v, "<=", 2 * exponent * log_v)
    scale, share = Lip**2 / (6 * d), ((1 + near) / near) ** 2
    level = calc(
        of_relu * Lip**2 * v**2, ("<", scale * (1 + 151 * d * of_relu * share) / (25 * share) * v**2)
    )
    factor = scale * narrow_relu / (25 * share)
    level = calc(chain(level, factor * v**2), ("==", factor * exp(2 * log_v), factor))
    return chain(relu_loss(), level, above_the_level(relu, level.rhs, steep, scale, found, relu_signal()[0]))
