"""Theorem 3.4 of Collins et al. from below: no width below the printed orders is a minimiser, for
affine tasks and for ReLU tasks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, prompt
from proofs_check.derivations.window.uniform.best_width import (
    best,
    few_tokens,
    from_above,
    kinks,
    log_v,
    loss,
    loss_there,
    narrow,
    near,
    of_both,
    of_uniform_tokens,
    omega_,
    small,
    upper_statement,
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
from proofs_check.derivations.window.uniform.kernel_means import w
from proofs_check.derivations.window.uniform.loss_bounds import (
    Lip,
    Value,
    affine,
    affine_signal,
    relu,
    relu_from_below,
    sigma,
    signal,
)
from proofs_check.derivations.window.uniform.narrower import average_depth, more, nearer, width
from proofs_check.derivations.window.uniform.noise_order import (
    S,
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


def exponent_of_rho(value: Value, times: int | Fraction) -> Term:
    """That of the printed end, which is `times` 1/(d + 4) or 1/(d + 2) for Lambda."""
    return Fraction(times) * (d + 2) / (d + 4) if value is affine else term(Fraction(times))


def lower_statement(value: Value, times: int | Fraction = 1) -> Statement:
    """No width below c Lambda^{times/(d + 4)} is a minimiser for affine tasks, and none below
    c Lambda^{times/(d + 2)} for ReLU tasks.
    """
    first = early(exponent_of_rho(value, times), narrow)
    given_ = of_uniform_tokens(laplacian(), narrow_enough(), first, *kinks(value))
    return Statement(loss(value, best), "<", loss(value, omega_), given_)


def ends(
    from_d_plus_4: int | Fraction = 1, from_d_plus_2: int | Fraction = 1, twice: int | Fraction = 2
) -> tuple[Statement, ...]:
    """Both ends of Theorem 3.4 for both classes: no minimiser is below Lambda to the power of
    from_d_plus_4/(d + 4) for affine tasks, none below that of from_d_plus_2/(d + 2) for ReLU tasks,
    and none above that of twice/(d + 2), up to constants.
    """
    return (
        lower_statement(affine, from_d_plus_4),
        lower_statement(relu, from_d_plus_2),
        upper_statement(affine, Fraction(twice) / 2),
        upper_statement(relu, Fraction(twice) / 2),
    )


@cache
def narrow_enough() -> Theorem:
    """The noise is not too strong, for another constant."""
    return assume("sigma^2 <= c n L^2, as c_7 rho <= 1", narrow * v, "<=", 1)


@proves("COL:T3.4/range", ends, at=(affine, relu))
@proves("COL:E.2/lower", partial(lower_statement, affine), at=(affine,))
@proves("COL:E.1/lower", partial(lower_statement, relu), at=(relu,))
@cache
def from_below(value: Value) -> Theorem:
    """The signal term at a width below the printed order is above the loss at rho^{-2}."""
    exponent, share = exponent_of_rho(value, 1), ((1 + near) / near) ** 2
    scale = Lip**2 / ((3 if value is affine else 6) * d)
    least_, most_ = show(term(Fraction(1, 2)), "<=", exponent), show(exponent, "<=", 1)
    large = show(1, "<=", narrow)
    found = before_the_order(exponent, narrow, large, narrow_enough(), least_, calc(most_, ("<=", term(2))))
    steep = show(3 * log_v, "<=", 2 * exponent * log_v, small(), most_, log_v)
    level = calc(
        of_both * Lip**2 * v**3,
        ("<", scale * (1 + 151 * d * of_both * share) / (25 * share) * v**3),
    )
    factor = scale * narrow / (25 * share)
    level = calc(chain(level, factor * v**3), ("==", factor * exp(3 * log_v), factor))
    least = affine_signal() if value is affine else relu_from_below()
    return chain(loss_there(value), level, above_the_level(value, level.rhs, steep, scale, found, least))


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


proves("COL:T3.4/range", ends, part=3, at=(affine, relu))(from_above)
