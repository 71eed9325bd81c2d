"""The upper ends of Theorems E.1 and E.2 of Collins et al., whatever the noise above its lower end:
with Lambda >= 1 as in Theorem 3.4, with little signal as in `much_noise`, and in between by a
constant.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS
from numerics.derivations.kernel.terms import Defined, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, prompt, two_moments
from proofs_check.derivations.window.uniform.best_width import (
    best,
    beyond,
    enough_for_the_end,
    from_above,
    kinks,
    log_v,
    loss,
    no_signal,
    of_uniform_tokens,
    omega,
    wide_,
)
from proofs_check.derivations.window.uniform.cap_measure import dimension, m, power, q
from proofs_check.derivations.window.uniform.kernel_means import sphere, w
from proofs_check.derivations.window.uniform.loss_bounds import Lip, Value, affine, relu, sigma, uniform
from proofs_check.derivations.window.uniform.much_noise import (
    few,
    gain,
    largest,
    little_signal,
    no_wide_window,
    ratio,
    signal_of_even_weights,
    size,
)
from proofs_check.derivations.window.uniform.narrower import less_even, more, width
from proofs_check.derivations.window.uniform.noise_order import given, least, lower_bound, noise

#: A number of tokens, the width at which it leaves that much noise, and 2 sqrt(d) e^4.
several = Defined("c_10", 1 + 4 / least)
log_middle = 2 / m * log(several)
middle, scale = exp(log_middle), 2 * sqrt(d) * exp(4)


@cache
def between() -> tuple[Theorem, ...]:
    """Neither much noise nor little, and enough tokens."""
    return (
        little_signal()[0],
        assume("Lambda <= 1", ratio, "<=", 1),
        assume("2 sqrt(d) e^4 Lambda >= 1", 1, "<=", scale * ratio),
        assume("n >= c_10", several, "<=", n),
    )


@cache
def no_window_beyond_a_constant(value: Value, late: Theorem) -> Theorem:
    """The noise beyond a constant width is larger than the loss at 0."""
    equation, short, _, many = between()
    y = Variable("z", range=REALS)
    inverse = instantiate(show(log(exp(y)), "==", y), {y: log_middle})
    one = calc(1, ("==", exp(term(0))), ("<=", middle, show(0, "<=", log_middle)))
    at = calc(power(middle), ("==", exp(m / 2 * log_middle), inverse), ("==", several))
    back = calc(power(1 / middle), ("==", exp(-m / 2 * log_middle), inverse), ("==", 1 / several))
    enough = calc(
        1, ("==", several / several), ("<=", n / several, many), ("==", n * power(1 / middle), back)
    )
    bound = lower_bound(middle, one, enough)
    gap = omega - middle
    even = instantiate(less_even(), {width: middle, more: gap}, show(0, "<", gap, late, omega, middle))
    last = instantiated(noise, {w: omega})
    even = chain(bound, integrate("prompt", (prompt,), even), last)
    share = chain(calc(term(4), ("<=", least + 4), ("==", least * (1 + 4 / least), least)), least * several)
    noisy = calc(
        sigma**2 / n * share.lhs,
        ("<=", sigma**2 / n * share.rhs, share),
        ("==", sigma**2 * even.lhs, at),
        ("<=", sigma**2 * even.rhs, even),
    )
    noisy = chain(noisy, gcongr(0 + sigma**2 * last, instantiate(no_signal(value), {w: omega})))
    noisy = chain(noisy.lhs, integrate("query", (q,), noisy), loss(value, omega))
    flat = signal_of_even_weights(value)
    flat = gcongr(flat.lhs + sigma**2 / n, flat)
    flat = chain(loss(value, term(0)), integrate("query", (q,), flat), 4 * size + sigma**2 / n)
    flat = calc(
        flat,
        ("==", Fraction(8, 3) * (n * Lip**2) / n + sigma**2 / n),
        ("==", Fraction(8, 3) * (ratio * sigma**2) / n + sigma**2 / n, equation),
        ("<=", Fraction(8, 3) * (1 * sigma**2) / n + sigma**2 / n, short),
        ("<", noisy.lhs),
    )
    return chain(flat, noisy)


def _late(end: Term) -> Theorem:
    return assume("w > C Lambda^a", end, "<", omega)


def _ends(a: Term, times: int | Fraction) -> tuple[Term, Term, Term]:
    """Where no width beyond is a minimiser: with much signal, in between, and with little."""
    small = exp(Fraction(times) * a * log(ratio))
    return (
        exp(2 / m * log(wide_) - Fraction(times) * ((d + 2) * a) * log_v),
        exp(log_middle + a * log(scale)) * small,
        scale * small,
    )


def upper_statements(value: Value, a: Term, times: int | Fraction = 1) -> tuple[Statement, ...]:
    """No width above C Lambda^{times a} is a minimiser for these tasks, whatever the noise."""
    ends = [_late(end) for end in _ends(a, times)]
    much = of_uniform_tokens(enough_for_the_end(), ends[0], *kinks(value))
    middle_ = hypotheses(*given(), *uniform(), *between(), ends[1])
    little = hypotheses(few(), *sphere(), *two_moments(), *uniform(), *little_signal(), dimension(), ends[2])
    start = loss(value, term(0))
    return (
        Statement(loss(value, best), "<", loss(value, omega), much),
        Statement(start, "<", loss(value, omega), middle_),
        Statement(start + gain, "<=", loss(value, omega), little),
    )


@cache
def upper_end(value: Value, a: Term) -> tuple[Theorem, ...]:
    """The three theorems, as 2/(d + 2) <= a <= 1, so that these ends are beyond theirs."""
    ends = _ends(a, 1)
    much, middle_, little = (_late(end) for end in ends)
    least_, most_ = show(term(2), "<=", (d + 2) * a), show(a, "<=", 1, arithmetic(2, "<=", d, dimension()))
    logs = show(-2 * log_v, "<=", -((d + 2) * a) * log_v, least_, show(log_v, "<=", 0), log_v, (d + 2) * a)
    much = chain(beyond, gcongr(exp(2 / m * log(wide_) + logs.lhs), logs), ends[0], much)
    sizes = arithmetic(0, "<=", log(scale) + log(ratio), between()[2], hide=(scale, ratio))
    logs = show(0, "<=", a * (log(scale) + log(ratio)), sizes, a, log(scale), log(ratio))
    middle_ = chain(
        calc(middle, ("<=", exp(log_middle + a * (log(scale) + log(ratio))), logs)), ends[1], middle_
    )
    short = arithmetic(ratio, "<=", 1, little_signal()[1])
    logs = show(log(ratio), "<=", 0, short)
    logs = show(1 * log(ratio), "<=", a * log(ratio), logs, most_, a, log(ratio))
    larger = chain(arithmetic(ratio, "==", exp(logs.lhs)), gcongr(exp(logs.lhs), logs))
    little = chain(largest, gcongr(scale * ratio, larger), ends[2], little)
    return (
        from_above(value, much),
        no_window_beyond_a_constant(value, middle_),
        no_wide_window(value, little),
    )


#: The exponents of Lambda at the upper ends of Theorems E.1 and E.2.
OF_RELU, OF_AFFINE = 2 / (d + 2), 2 * (d + 2) / (d * (d + 4))
proves("COL:E.1/upper", partial(upper_statements, relu, OF_RELU), part=(1, 2, 3))(
    partial(upper_end, relu, OF_RELU)
)
proves("COL:E.2/upper", partial(upper_statements, affine, OF_AFFINE), part=(1, 2, 3))(
    partial(upper_end, affine, OF_AFFINE)
)
