"""Lemmas C.4 and C.8 and Corollary C.6 of Collins et al.: the signal terms of affine and ReLU tasks
from above, for every number of uniform tokens in every dimension.

A window that holds few tokens is compared with a wider one that holds enough: at the width
1/(1/w + b) with b = w^{d/2 - 1}/n, or at 1. The average squared distance is larger there.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Defined, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, j, prompt
from proofs_check.derivations.window.uniform.average_distance import relu_from_above, spread_at
from proofs_check.derivations.window.uniform.best_width_from_below import as_depths, as_distances
from proofs_check.derivations.window.uniform.bias_order import (
    V,
    at_most_four,
    bias,
    by_the_sum,
    jensen,
    no_further_than_two,
    off,
    on_the_line,
    spread,
    squared,
)
from proofs_check.derivations.window.uniform.cap_measure import dimension, m, power, q
from proofs_check.derivations.window.uniform.kernel_means import low, p, w
from proofs_check.derivations.window.uniform.loss_bounds import (
    K,
    Lip,
    Value,
    affine,
    affine_signal,
    bias_at,
    relu,
    signal,
    uniform,
)
from proofs_check.derivations.window.uniform.narrower import average_depth, more, nearer, width
from proofs_check.derivations.window.uniform.noise_order import S, given, prompts

#: w^{d/2 - 1}/n, and the width of comparison.
b, y = Variable("b", range=POSITIVE), Variable("y", range=NONNEGATIVE)
few = exp((d / 2 - 1) * log(p)) / n


def compared(few: Term) -> Term:
    return Op("max", (1 / (1 / p + few), term(1)))


#: The constants of both bounds, which depend on the dimension only.
of_relu = Defined("c_11", 2 * low * K + 12288 * K**3 + 4)
of_affine = Defined("c_12", (low * K) ** 2 + 4 * K + 12288 * K**3 + 2 * of_relu)
there = {w: p}
distance, square = (prompts(instantiated(e, there)) for e in (spread, bias))


@cache
def wide() -> Theorem:
    return assume("w >= (d + sqrt d)/2", (d + sqrt(d)) / 2, "<=", p)


@cache
def more_than_one() -> Theorem:
    """1 < w."""
    least = (d + sqrt(d)) / 2
    return calc(1, ("<", least, arithmetic(1, "<", least, dimension())), ("<=", p, wide()))


@cache
def wider() -> tuple[Theorem, Theorem, Theorem]:
    """1 <= v < w and 1/v <= 1/w + b for the width v of comparison."""
    at = compared(b)
    shown = (
        arithmetic(1, "<=", at),
        arithmetic(at, "<", p, more_than_one()),
        arithmetic(1 / at, "<=", 1 / p + b),
    )
    one, less, inverse = (instantiate(thm, {b: few}) for thm in shown)
    return one, less, inverse


@cache
def no_closer() -> Theorem:
    """The average squared distance at w is at most that at v, and at most 4."""
    at = compared(few)
    gap = show(0, "<", p - at, wider()[1], at)
    closer = chain(average_depth(p), instantiate(nearer(), {width: at, more: p - at}, gap))
    here, back = instantiate(as_depths(), there), instantiate(as_distances(), {w: at})
    point = chain(here, gcongr(here.rhs, closer), back)
    return integrate("prompt", (prompt,), point)


@cache
def no_more_than_four() -> Theorem:
    point = instantiate(no_further_than_two(), there)
    return chain(integrate("prompt", (prompt,), point), term(4))


@cache
def tokens_of_the_wider() -> Theorem:
    """v^{m/2}/n <= sqrt(v) b, as v <= w."""
    at = compared(few)
    rise = arithmetic(log(at), "<=", log(p), wider()[1], hide=(at,))
    rise = show((m - 1) / 2 * log(at), "<=", (d / 2 - 1) * log(p), rise, dimension(), log(at), log(p))
    moved, root = gcongr(exp(rise.lhs), rise), sqrt(at)
    return calc(
        power(at) / n,
        ("==", root * moved.lhs / n, at),
        ("<=", root * moved.rhs / n, moved, root, moved.lhs, moved.rhs),
        ("==", root * few),
    )


@cache
def distance_there() -> Theorem:
    """The average squared distance is at most 2 c_1 c_3 (1/w + b) + 12288 c_3^3 (sqrt(v) b)^3."""
    at, (one, _, inverse), share = compared(few), wider(), tokens_of_the_wider()
    found, cube = spread_at(at, one), 12288 * K**3
    return calc(
        chain(no_closer(), found),
        ("==", 2 * low * K * (1 / at) + cube * share.lhs**3, at),
        (
            "<=",
            2 * low * K * inverse.rhs + cube * share.rhs**3,
            gcongr(2 * low * K * (1 / at) + cube * share.lhs**3, inverse, share),
        ),
    )


@cache
def by_cases(value: Term, event: Term, *bounds: Theorem) -> Theorem:
    """A value is at most 1{event >= 0} times its first bound and 1{event < 0} times its second."""
    yes, no = Op("ind", (event,)), Op("above", (-event,))
    split = arithmetic(value, "<=", yes * value + no * value, *bounds, hide=(value, event))
    parts = [gcongr(on * value, bound) for on, bound in zip((yes, no), bounds)]
    return chain(split, gcongr(split.rhs, *parts))


@cache
def of_the_distance() -> Theorem:
    """The average squared distance is at most c_11 (1/w + b): where b <= 1, so is v b."""
    u, level, cube = Variable("u", range=POSITIVE), 2 * low * K, 12288 * K**3
    many, none = Op("ind", (1 - u,)), Op("above", (u - 1,))
    at = compared(u)
    root = arithmetic(many * (at * u), "<=", 1)
    root = arithmetic(many * (sqrt(at) * u) ** 3, "<=", u, root, hide=(at,))
    least = arithmetic(4 * none, "<=", 4 * u)
    root, least = (instantiate(thm, {u: few}) for thm in (root, least))
    whole = by_cases(distance, 1 - few, distance_there(), no_more_than_four())
    parts = level * (1 / p + few) + cube * root.lhs + least.lhs
    return calc(
        whole,
        ("<=", parts, few),
        ("<=", level * (1 / p + few) + cube * few + 4 * few, root, least),
        ("<=", (level + cube + 4) * (1 / p + few), few, level, cube),
        ("==", of_relu * (1 / p + few)),
    )


@cache
def of_the_square() -> Theorem:
    """E |h - x|^2 is at most c_12 (1/w^2 + b): where w b <= 1 by the bound at w, and elsewhere it
    is at most the average squared distance, with 1/w < b.
    """
    one, near, cube, u = calc(more_than_one()), (low * K) ** 2, 12288 * K**3, Variable("u", range=POSITIVE)
    rest = show((m - 1) / 2 * log(p), "<=", (d / 2 - 1) * log(p), dimension(), log(p))
    moved = gcongr(exp(rest.lhs), rest)
    share = calc(
        power(p) / n,
        ("==", sqrt(p) / n * moved.lhs),
        ("<=", sqrt(p) * few, moved, sqrt(p), moved.lhs, moved.rhs),
    )
    own = calc(
        bias_at(p, one),
        ("==", 4 * K / p * share.lhs + near / p**2 + cube * share.lhs**3),
        ("<=", 4 * K / p * share.rhs + near / p**2 + cube * share.rhs**3, share),
    )
    jensen_ = chain(V, integrate("coordinates", (j,), jensen(off), (d,)), S * squared)
    point = instantiate(chain(by_the_sum(), show(V / S**2, "<=", spread, jensen_, V, S, squared)), there)
    other = chain(square, integrate("prompt", (prompt,), point), of_the_distance())
    enough, short = Op("ind", (1 - p * u,)), Op("above", (p * u - 1,))
    first = arithmetic(enough * (sqrt(p) * u) ** 3, "<=", u, one)
    second = arithmetic(short * (1 / p + u), "<=", 2 * u)
    root = arithmetic(u / sqrt(p), "<=", u, one)
    level, (first, second, root) = 4 * K, [instantiate(thm, {u: few}) for thm in (first, second, root)]
    parts = level * root.lhs + near / p**2 + cube * first.lhs + of_relu * second.lhs
    return calc(
        by_cases(square, 1 - p * few, own, other),
        ("<=", parts, few),
        ("<=", level * few + near / p**2 + cube * few + of_relu * (2 * few), root, first, second),
        ("<=", (near + level + cube + 2 * of_relu) * (1 / p**2 + few), few, level, cube, near, of_relu),
        ("==", of_affine * (1 / p**2 + few)),
    )


def over_queries(value: Value) -> Term:
    """The signal term at the width."""
    return bind("query", (q,), instantiated(signal(value), there))


def _in_the_mean(signal_: Theorem, bound: Theorem, rate: Term) -> Theorem:
    """A signal term of at most L^2/(3d) times a mean is at most L^2/(3d) times its bound."""
    here = calc(instantiate(signal_, there), ("<=", Lip**2 / (3 * d) * bound.rhs, bound))
    return chain(integrate("query", (q,), here), rate)


@cache
def level_bound() -> Theorem:
    """The signal term of affine tasks is at most 4 L^2/(3d), at every width from 0 on."""
    point = chain(by_the_sum(), show(V / S**2, "<=", 4, at_most_four(), V, S))
    scaled = calc(affine_signal(), ("<=", Lip**2 / (3 * d) * 4, integrate("prompt", (prompt,), point)))
    return chain(integrate("query", (q,), scaled), 4 / (3 * d) * Lip**2)


def assumed(*more: Theorem) -> frozenset[Assumption]:
    return hypotheses(*given(), *uniform(), on_the_line(), *more)


def affine_statements(power: int = 2, four: int | Fraction = 4) -> tuple[Statement, Statement]:
    """L^2/(3d) C (1/w^power + w^{d/2 - 1}/n) + 4L^2/n for w >= (d + sqrt d)/2, and four L^2."""
    rate = 1 / p**power + few
    bound = Lip**2 / (3 * d) * (of_affine * rate) + 4 * Lip**2 / n
    return (
        Statement(over_queries(affine), "<=", bound, assumed(wide())),
        Statement(bind("query", (q,), signal(affine)), "<=", Fraction(four) * Lip**2, assumed()),
    )


@proves("COL:C.4", affine_statements, part=(1, 2))
@cache
def affine_from_above() -> tuple[Theorem, Theorem]:
    """Lemma C.4; the second term of the bound is not needed."""
    rate = Lip**2 / (3 * d) * (of_affine * (1 / p**2 + few))
    whole = _in_the_mean(affine_signal(), of_the_square(), rate)
    return chain(whole, show(rate, "<=", rate + 4 * Lip**2 / n)), calc(
        level_bound(), ("<=", 4 * Lip**2, arithmetic(4 / (3 * d), "<=", 4))
    )


@cache
def narrow() -> Theorem:
    return assume("w < (d + sqrt d)/2", p, "<", (d + sqrt(d)) / 2)


def every_width_statements(
    power: int = 2, share: int | Fraction = Fraction(1, 2)
) -> tuple[Statement, Statement]:
    """L^2 C (1/w^power + w^{d/2 - 1}/n + 1/n) for w >= (d + sqrt d)/2, and L^2 share (d/w)^2 for
    smaller widths.
    """
    rate = 1 / p**power + few + 1 / n
    return (
        Statement(over_queries(affine), "<=", Lip**2 * (of_affine * rate), assumed(wide())),
        Statement(
            over_queries(affine),
            "<=",
            Fraction(share) * Lip**2 * (d / p) ** 2,
            assumed(dimension(), narrow()),
        ),
    )


@proves("COL:C.6/upper", every_width_statements, part=(1, 2))
@cache
def for_every_width() -> tuple[Theorem, Theorem]:
    """The upper half of Corollary C.6: a small width is less than d."""
    rate, scale = 1 / p**2 + few, arithmetic(Lip**2 / (3 * d), "<=", Lip**2)
    first = calc(
        _in_the_mean(affine_signal(), of_the_square(), Lip**2 / (3 * d) * (of_affine * rate)),
        ("<=", Lip**2 * (of_affine * rate), scale, of_affine * rate),
        ("<=", Lip**2 * (of_affine * (rate + 1 / n)), few),
    )
    small = arithmetic(4 / (3 * d), "<=", (d / p) ** 2 / 2, narrow(), arithmetic(2, "<=", d, dimension()))
    level = instantiate(level_bound(), there)
    return first, calc(level, ("<=", (d / p) ** 2 / 2 * Lip**2, gcongr(small.lhs * Lip**2, small)))


@cache
def enough(tokens: Fraction = Fraction(1, 2)) -> Theorem:
    return assume("n >= w^{d/2}", exp(d * tokens * log(p)), "<=", n)


def relu_statements(power: int = 1, tokens: Fraction = Fraction(1, 2)) -> tuple[Statement, Statement]:
    """L^2 C (1/w^power + w^{d/2 - 1}/n) for w >= (d + sqrt d)/2, which is L^2 2C/w^power for
    n >= w^{d tokens}.
    """
    rate = 1 / p**power + few
    given_ = assumed(wide(), enough(tokens))
    return (
        Statement(over_queries(relu), "<=", Lip**2 * (of_relu * rate), assumed(wide())),
        Statement(over_queries(relu), "<=", Lip**2 * (2 * of_relu / p**power), given_),
    )


@proves("COL:C.8", relu_statements, part=(1, 2))
@cache
def of_relu_tasks() -> tuple[Theorem, Theorem]:
    """Lemma C.8, with w^{d/2 - 1}/n in place of 1/n."""
    rate, scale = 1 / p + few, arithmetic(Lip**2 / (3 * d), "<=", Lip**2)
    first = calc(
        _in_the_mean(relu_from_above(), of_the_distance(), Lip**2 / (3 * d) * (of_relu * rate)),
        ("<=", Lip**2 * (of_relu * rate), scale, of_relu * rate),
    )
    tokens = calc(
        exp((d / 2 - 1) * log(p)), ("==", exp(d / 2 * log(p)) / p), ("<=", n / p, enough(), enough().lhs)
    )
    less = show(few, "<=", 1 / p, tokens, tokens.lhs)
    second = calc(
        first,
        ("<=", Lip**2 * (of_relu * (1 / p + 1 / p)), less, few),
        ("==", Lip**2 * (2 * of_relu / p)),
    )
    return first, second
