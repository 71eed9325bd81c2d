"""R10: the flow over prompts of finite length is a gradient flow of one variable, and the inverse
of the loss above its floor grows at a rate between two bounds.

The summands of the loss are numbered from 1 to J: they have positive weights B_j b_j and odds r_j
of the other classes at z = 0, none of which exceeds R, the odds N - 1 of one own token.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort, whole
from numerics.derivations.kernel.terms import CLOCK, START, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import cancelled, times
from proofs_check.derivations.proof import proves

j, t = Variable("j", Sort.INDEX), Variable("t", Sort.TIME)
J, M = Variable("J", range=whole(1)), Variable("M", range=whole(1))
c, R, sigma2, floor = (
    *(Variable(name, range=POSITIVE) for name in ("c", "R", "sigma2")),
    Variable("F", range=NONNEGATIVE),
)
z = Function("z", (Sort.TIME,), Fraction(1))
x = Variable("x", range=NONNEGATIVE)
log_weight, log_odds = Function("logB", (Sort.INDEX,)), Function("logr", (Sort.INDEX,))

lengths = lambda e: bind("coordinates", (j,), e, (J,))
weight, odds = exp(log_weight(j)), exp(log_odds(j) - z(t))
w = 1 / (1 + odds)
rest = odds * w
#: The loss above its floor and K h_N, in units of sigma_f^2, and the attention with one own token.
above_floor = lengths(weight * rest**2) / 2
speed = lengths(weight * w * rest**2)
w_1 = 1 / (1 + R * exp(-z(t)))
loss = sigma2 * above_floor + floor

flow = assume("gradient flow", z.rate(t), "==", c / M * speed, every=(t,))
fewest = assume("no odds exceed those of one own token", exp(log_odds(j)), "<=", R, every=(j,))


def at_0(e: Term) -> Term:
    return instantiated(e, {t: START})


#: (4 c/M) w_1(0)^2 l(0), and what bounds e^{-z} sqrt(t + 1).
rate_0 = 4 * c / M * at_0(w_1) ** 2
unit = rate_0 * at_0(above_floor)
bound = exp(-z(START)) * sqrt(1 + 1 / unit)


def gradient_statements(half: Fraction = Fraction(1, 2)) -> tuple[Statement, ...]:
    """The derivative of the loss along any path is -K h_N z', and the loss does not rise along the
    flow; `half` stands for the factor of the loss.
    """
    factor = 2 * Fraction(half)
    return (
        Statement(factor * derivative(loss, t), "==", -sigma2 * speed * z.rate(t)),
        Statement(loss, "<=", factor * at_0(loss), flow.assumptions),
    )


def late_statements(two: int = 2, share: Fraction = Fraction(1)) -> tuple[Statement, ...]:
    """The growth of 1/l, for the loss l above its floor, and 1/l itself between two bounds that are
    asymptotic to 4 c t/M; `two` squared stands for the 4, and `share` multiplies w_1 or 1/l.
    """
    given, rate, inverse = hypotheses(flow, fewest), two**2 * c / M, 1 / above_floor
    D, grown, share = derivative(inverse, t), inverse - at_0(inverse), Fraction(share)
    least = CLOCK(t) - 4 * R * bound * (sqrt(CLOCK(t) + 1) - 1)
    return (
        Statement(rate * (share * w_1) ** 2, "<=", D, given),
        Statement(share**2 * D, "<=", 4 * c / M, flow.assumptions),
        Statement(rate * (share**2 * least), "<=", grown, given),
        Statement(share**2 * grown, "<=", 4 * c / M * CLOCK(t), given),
    )


def floor_statements(power: int = 2) -> tuple[Statement, ...]:
    """The loss above its floor is at most M/(4 c w_1(0)^2 t), and does not rise; `power` stands for
    the exponent of 1 - w_j.
    """
    l = lengths(weight * rest**power) / 2
    return (
        Statement(4 * c / M * at_0(w_1) ** 2 * CLOCK(t) * l, "<=", term(1), hypotheses(flow, fewest)),
        Statement(sigma2 * l + floor, "<=", at_0(loss), flow.assumptions),
    )


@cache
def slope() -> Theorem:
    """The derivative of the loss above its floor along any z is -K h_N z'."""
    each = calc(
        derivative(rest, t),
        ("==", -z.rate(t) * (odds * w - odds**2 * w**2)),
        ("==", -z.rate(t) * w * rest, odds),
    )
    return calc(
        derivative(above_floor, t),
        ("==", lengths(weight * rest * derivative(rest, t))),
        ("==", lengths(weight * rest * (-z.rate(t) * w * rest)), each),
        ("==", -z.rate(t) * speed),
    )


@proves("OURS:R10.gradient", gradient_statements, part=(1, 2))
@cache
def never_rises() -> tuple[Theorem, Theorem]:
    """The derivative of the loss is -sigma_f^2 K h_N z', and the loss does not rise."""
    first = calc(
        derivative(loss, t),
        ("==", sigma2 * derivative(above_floor, t)),
        ("==", -sigma2 * speed * z.rate(t), slope()),
    )
    down = calc(first, ("==", -sigma2 * speed * (c / M * speed), flow, speed), ("<=", 0, speed))
    return first, antitone(loss, t, down)


@proves("OURS:R10.floor", floor_statements, part=2)
def does_not_rise() -> Theorem:
    return never_rises()[1]


@cache
def speeds() -> tuple[Theorem, Theorem]:
    """2 w_1 l <= K h_N/sigma_f^2 <= 2 l for the loss l above its floor, as w_1 <= w_j <= 1."""
    fewer = calc(1 / (1 + exp(-z(t)) * R), ("<=", 1 / (1 + exp(-z(t)) * exp(log_odds(j))), fewest), ("==", w))
    low = calc(
        2 * w_1 * above_floor,
        ("==", lengths(weight * rest**2 * (1 / (1 + exp(-z(t)) * R)))),
        ("<=", lengths(weight * rest**2 * w), times(weight * rest**2, fewer)),
    )
    high = calc(
        speed,
        ("<=", lengths(weight * rest**2 * 1), times(weight * rest**2, show(w, "<=", 1, odds))),
        ("==", 2 * above_floor),
    )
    return calc(low, ("==", speed)), high


@proves("OURS:R10.late", late_statements, part=(1, 2))
@cache
def growth() -> tuple[Theorem, Theorem]:
    """The derivative of 1/l is between 4 c w_1^2/M and 4 c/M."""
    inverse, l = derivative(1 / above_floor, t), above_floor
    form = show(inverse, "==", c / M * (speed / l) ** 2, slope(), flow, l, speed, derivative(l, t))
    low, high = speeds()
    low = calc(2 * w_1, ("==", 1 / l * (2 * w_1 * l), l, w_1), ("<=", 1 / l * speed, low))
    high = calc(1 / l * speed, ("<=", 1 / l * (2 * l), high), ("==", 2, l))
    below = calc(
        4 * c / M * w_1**2,
        ("==", c / M * (2 * w_1) ** 2),
        ("<=", c / M * (1 / l * speed) ** 2, low),
        ("==", inverse, form),
    )
    return below, calc(form, ("<=", c / M * term(2) ** 2, high), ("==", 4 * c / M))


@cache
def inverse_loss() -> tuple[Theorem, Theorem]:
    """4 c w_1(0)^2 t/M <= 1/l(t) - 1/l(0) <= 4 c t/M, where w_1 does not fall."""
    now, inverse, first, rate = CLOCK(t), 1 / above_floor, at_0(w_1), 4 * c / M
    D, (below, above) = derivative(inverse, t), growth()
    below = calc(rate * first**2, ("<=", rate * w_1**2, more_attention()), ("<=", D, below))
    lower, upper = rate * first**2 * now - inverse, inverse - rate * now
    low_rate = calc(derivative(lower, t), ("==", rate * first**2 - D, D, first), ("<=", 0, below))
    high_rate = calc(derivative(upper, t), ("==", D - rate, D), ("<=", 0, above))
    low = calc(antitone(lower, t, low_rate), ("==", -at_0(inverse), begin(), at_0(inverse), first))
    high = calc(antitone(upper, t, high_rate), ("==", at_0(inverse), begin(), at_0(inverse)))
    return (
        show(rate * first**2 * now, "<=", inverse - at_0(inverse), low),
        show(inverse - at_0(inverse), "<=", rate * now, high),
    )


@proves("OURS:R10.late", late_statements, part=4)
def no_faster() -> Theorem:
    return inverse_loss()[1]


@cache
def later() -> Theorem:
    """-z(t) <= -z(0)."""
    return antitone(-z(t), t, calc(derivative(-z(t), t), ("==", -(c / M * speed), flow), ("<=", 0)))


@cache
def more_attention() -> Theorem:
    smaller = show(1 + R * exp(-z(t)), "<=", 1 + R * exp(-z(START)), later())
    return show(at_0(w_1), "<=", w_1, smaller)


@cache
def odds_vanish() -> Theorem:
    """e^{-z} <= e^{-z(0)} sqrt(1 + 1/unit)/sqrt(t + 1): the loss is at least e^{-2(z - z(0))} times
    the first one, and at most M/(4 c w_1(0)^2 t).
    """
    shrink, l, now = exp(-(z(t) - z(START))), above_floor, CLOCK(t)
    smaller = show(1 + odds, "<=", 1 + at_0(odds), show(odds, "<=", at_0(odds), later()))
    share = calc(shrink * at_0(rest), ("==", odds * at_0(w)), ("<=", rest, show(at_0(w), "<=", w, smaller)))
    least = calc(
        shrink**2 * at_0(l),
        ("==", lengths(weight / 2 * (shrink * at_0(rest)) ** 2)),
        ("<=", lengths(weight / 2 * rest**2), share),
        ("==", l),
    )
    early = calc(
        unit * (shrink**2 * now),
        ("==", rate_0 * now * (shrink**2 * at_0(l))),
        ("<=", rate_0 * now * l, times(rate_0 * now, least)),
        ("<=", 1, to_the_floor()),
        ("==", unit * (1 / unit), unit),
    )
    early = cancelled(unit, early, shrink**2 * now, 1 / unit, show(0, "<", unit, unit))
    small = calc(exp(2 * -z(t) + 2 * z(START)), ("<=", exp(2 * -z(START) + 2 * z(START)), later()), ("==", 1))
    both = calc(
        (shrink * sqrt(now + 1)) ** 2,
        ("==", shrink**2 * now + exp(2 * -z(t) + 2 * z(START))),
        ("<=", 1 / unit + 1, early, small),
    )
    gone = show(shrink * sqrt(now + 1), "<=", sqrt(1 + 1 / unit), both)
    return calc(
        exp(-z(t)),
        ("==", exp(-z(START)) / sqrt(now + 1) * (shrink * sqrt(now + 1))),
        ("<=", exp(-z(START)) / sqrt(now + 1) * sqrt(1 + 1 / unit), gone),
        ("==", bound / sqrt(now + 1)),
    )


@proves("OURS:R10.late", late_statements, part=3)
@cache
def late() -> Theorem:
    """As w_1^2 >= 1 - 2 R e^{-z}."""
    inverse, scale, rate = 1 / above_floor, sqrt(CLOCK(t) + 1), 4 * c / M
    D, first, e = derivative(inverse, t), at_0(inverse), exp(-z(t))
    up = calc(
        rate * (1 - 2 * R * (bound / scale)),
        ("<=", rate * (1 - 2 * R * e), odds_vanish()),
        ("<=", rate * w_1**2, instantiate(show(1 - 2 * x, "<=", (1 / (1 + x)) ** 2), {x: R * e})),
        ("<=", D, growth()[0]),
    )
    falling = rate * (CLOCK(t) - 4 * R * bound * scale) - inverse
    down = calc(
        derivative(falling, t), ("==", rate * (1 - 2 * R * (bound / scale)) - D, D, bound), ("<=", 0, up)
    )
    end = calc(antitone(falling, t, down), ("==", -rate * (4 * R * bound) - first, begin(), first, bound))
    return show(rate * (CLOCK(t) - 4 * R * bound * (scale - 1)), "<=", inverse - first, end)


@proves("OURS:R10.floor", floor_statements, part=1)
@cache
def to_the_floor() -> Theorem:
    l = above_floor
    early = calc(inverse_loss()[0], ("<=", 1 / l, l, at_0(l)))
    return calc(l * (rate_0 * CLOCK(t)), ("<=", l * (1 / l), early), ("==", 1, l))
