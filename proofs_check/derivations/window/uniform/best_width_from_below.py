"""Theorem 3.4 of Collins et al. from below: no width below the printed orders is a minimiser, for
affine tasks and for ReLU tasks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Defined, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, prompt
from proofs_check.derivations.window.uniform.best_width import (
    affine_loss,
    best,
    few_tokens,
    log_v,
    loss,
    narrow,
    near,
    noise_there,
    of_affine,
    of_uniform_tokens,
    omega_,
    part,
    share_of_the_window,
    small,
    v,
)
from proofs_check.derivations.window.uniform.bias_order import (
    bias,
    bias_from_below,
    depths,
    distance_from_below,
    laplacian,
    no_further_than_two,
    same_sum,
    spread,
    squared,
)
from proofs_check.derivations.window.uniform.cap_measure import m, power, q
from proofs_check.derivations.window.uniform.kernel_means import low, w
from proofs_check.derivations.window.uniform.loss_bounds import (
    K,
    Lip,
    Value,
    affine,
    affine_signal,
    relu,
    relu_signal,
    sigma,
    signal,
    spread_at,
)
from proofs_check.derivations.window.uniform.narrower import average_depth, more, nearer, width
from proofs_check.derivations.window.uniform.noise_order import (
    S,
    most,
    noise,
    orders,
    prompts,
    weights_squared,
)


@cache
def as_depths() -> Theorem:
    """The average squared distance is twice the average depth."""
    return chain(spread, gcongr(spread, same_sum()), 2 * average_depth(w))


@cache
def as_distances() -> Theorem:
    return calc(
        2 * average_depth(w), ("==", 2 * depths / S), ("<=", squared / S, same_sum(), depths, squared, S)
    )


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
        2 * level**2,
        ("==", level * ahead_.lhs),
        ("<=", level * ahead_.rhs, gcongr(level * ahead_.lhs, ahead_)),
    )
    both = chain(both, instantiate(tangent, {y: level}))
    short = show(whole(spread), "<=", 4, no_further_than_two(), spread)
    short = instantiate(integrate("prompt", (prompt,), short), {w: omega_})
    short = calc(short, ("<=", term(4)))
    return calc(
        level**2,
        ("<=", second, both, short, level, second),
        (
            "<=",
            prompts((spread_ / 2) ** 2),
            instantiate(arithmetic(whole(z), "<=", (z / 2) ** 2), {z: spread_}),
        ),
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
    """(1/part) rho^{2 exponent} constant/25 <= E |h - x|^2 below the first width, for constant
    >= 1, constant rho <= 1, and 1/2 <= exponent <= 2.
    """
    large, short, least_, most_ = of
    at, root, wide = first_width(exponent, constant), sqrt(constant), exp(-exponent * log_v)
    logs = show(-log_v / 2, "<=", -exponent * log_v, small(), least_, log_v)
    steep = show(-exponent * log_v, "<=", -2 * log_v, small(), most_, log_v)
    half = calc(
        root, ("<=", 1 / sqrt(v), show(root, "<=", 1 / sqrt(v), short, constant)), ("==", exp(-log_v / 2))
    )
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
    return chain(
        affine_loss(), level, above_the_level(affine, level.rhs, steep, cube, found, affine_signal())
    )


@cache
def above_the_level(
    value: Value, level: Term, steep: Theorem, scale: Term, found: Theorem, part_: Theorem
) -> Theorem:
    """The level is at most the loss: it is at most a share of E |h - x|^2, as the signal is not."""
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
