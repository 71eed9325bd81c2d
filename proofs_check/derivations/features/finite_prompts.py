"""R10: the flow over prompts of finite length is a gradient flow of one variable, and the inverse
of the loss above its floor grows at a rate between two bounds.

The summands of the loss are numbered from 1 to J: they have positive weights B_j b_j and odds r_j
of the other classes at z = 0, none of which exceeds R, the odds N - 1 of one own token.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind, instantiated
from numerics.derivations.derived import chain, exp, root, sqrt, turned
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, begin, equal, fall, integrate, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, Sort, whole
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import CLOCK, START, Function, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.features.steps import added, cancelled, gap, scaled, times

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


@cache
def slope() -> Theorem:
    """The derivative of the loss above its floor along any z is -K h_N z'."""
    each = equal(derivative(rest, t), -z.rate(t) * (odds * w - odds**2 * w**2))
    inner = arithmetic(each.rhs, "==", -z.rate(t) * w * rest, hide=(odds,))
    each = scaled(weight * rest, chain(each, inner))
    total = integrate("coordinates", (j,), each, (J,))
    return chain(derivative(above_floor, t), total, -z.rate(t) * speed)


@cache
def never_rises() -> tuple[Theorem, Theorem]:
    """The derivative of the loss is -sigma_f^2 K h_N z', and the loss does not rise."""
    first = chain(derivative(loss, t), scaled(sigma2, slope()), -sigma2 * speed * z.rate(t))
    down = chain(first, arithmetic(first.rhs, "<=", 0, flow, hide=(speed,)))
    return first, fall(loss, t, down)


@cache
def speeds() -> tuple[Theorem, Theorem]:
    """2 w_1 l <= K h_N/sigma_f^2 <= 2 l for the loss l above its floor, as w_1 <= w_j <= 1."""
    more = times(exp(-z(t)), fewest)
    fewer = chain(w_1, replace(1 / (1 + exp(-z(t)) * R), more), w)
    low = integrate("coordinates", (j,), times(weight * rest**2, fewer), (J,))
    high = integrate("coordinates", (j,), times(weight * rest**2, arithmetic(w, "<=", 1, hide=(odds,))), (J,))
    return chain(2 * w_1 * above_floor, low, speed), chain(speed, high, 2 * above_floor)


@cache
def growth() -> tuple[Theorem, Theorem]:
    """The derivative of 1/l is between 4 c w_1^2/M and 4 c/M."""
    inverse, l = derivative(1 / above_floor, t), above_floor
    form = arithmetic(
        inverse, "==", c / M * (speed / l) ** 2, slope(), flow, hide=(l, speed, derivative(l, t))
    )
    low, high = (times(1 / l, line) for line in speeds())
    low = chain(arithmetic(2 * w_1, "==", low.lhs, hide=(l, w_1)), low, speed / l)
    high = chain(speed / l, high, arithmetic(high.rhs, "==", term(2), hide=(l,)))
    below, above = _squares(low), _squares(high)
    below = chain(4 * c / M * w_1**2, times(c / M, below), turned(form))
    return below, chain(form, times(c / M, above), 4 * c / M)


def _squares(thm: Theorem) -> Theorem:
    """X^2 <= Y^2 from X <= Y, for positive X and Y."""
    X, Y = thm.lhs, thm.rhs
    return chain(X**2, times(X, thm), times(Y, thm), Y**2)


@cache
def inverse_loss() -> tuple[Theorem, Theorem]:
    """4 c w_1(0)^2 t/M <= 1/l(t) - 1/l(0) <= 4 c t/M, where w_1 does not fall."""
    now, inverse = CLOCK(t), 1 / above_floor
    start, first = instantiated(inverse, {t: START}), instantiated(w_1, {t: START})
    below, above = growth()
    below = chain(times(4 * c / M, _squares(more_attention())), below)
    D = derivative(inverse, t)
    lower, upper = 4 * c / M * first**2 * now - inverse, inverse - 4 * c / M * now
    low_rate = chain(
        arithmetic(derivative(lower, t), "==", 4 * c / M * first**2 - D, hide=(D, first)), added(below, -D), 0
    )
    high_rate = chain(
        arithmetic(derivative(upper, t), "==", D - 4 * c / M, hide=(D,)), added(above, -4 * c / M), 0
    )
    low, high = fall(lower, t, low_rate), fall(upper, t, high_rate)
    low = chain(low, arithmetic(low.rhs, "==", -start, begin(), hide=(start, first)))
    high = chain(high, arithmetic(high.rhs, "==", start, begin(), hide=(start,)))
    return chain(4 * c / M * first**2 * now, added(low, inverse), inverse - start), chain(
        inverse - start, added(high, 4 * c / M * now - start), 4 * c / M * now
    )


@cache
def later() -> Theorem:
    """-z(t) <= -z(0)."""
    down = chain(derivative(-z(t), t), scaled(term(-1), flow), arithmetic(-(c / M * speed), "<=", 0))
    return fall(-z(t), t, down)


@cache
def more_attention() -> Theorem:
    """w_1(0) <= w_1(t)."""
    smaller = replace(1 + R * exp(-z(t)), later())
    return chain(instantiated(w_1, {t: START}), replace(1 / smaller.rhs, smaller))


def at_0(e: Term) -> Term:
    return instantiated(e, {t: START})


#: (4 c/M) w_1(0)^2 l(0), and what bounds e^{-z} sqrt(t + 1).
rate_0 = 4 * c / M * at_0(w_1) ** 2
unit = rate_0 * at_0(above_floor)
bound = exp(-z(START)) * sqrt(1 + 1 / unit)


@cache
def odds_vanish() -> Theorem:
    """e^{-z} <= e^{-z(0)} sqrt(1 + 1/unit)/sqrt(t + 1): the loss is at least e^{-2(z - z(0))} times
    the first one, and at most M/(4 c w_1(0)^2 t).
    """
    shrink, l, now = exp(-(z(t) - z(START))), above_floor, CLOCK(t)
    smaller = replace(1 + exp(log_odds(j)) * exp(-z(t)), chain(replace(exp(-z(t)), later())))
    share = chain(shrink * at_0(rest), times(odds, replace(1 / smaller.rhs, smaller)), rest)
    part = integrate("coordinates", (j,), times(weight / 2, _squares(share)), (J,))
    least = chain(shrink**2 * at_0(l), part, l)
    most = chain(rate_0 * now * l, to_the_floor())
    product_ = chain(unit * now * shrink**2, times(rate_0 * now, least), most)
    product_ = chain(product_, arithmetic(1, "==", unit * (1 / unit), hide=(unit,)))
    product_ = cancelled(unit, product_, shrink**2 * now, 1 / unit, arithmetic(0, "<", unit, hide=(unit,)))
    small = chain(shrink**2, replace(exp(2 * -z(t) + 2 * z(START)), later()), 1)
    both = chain(shrink**2 * (now + 1), added(product_, shrink**2), added(small, 1 / unit), 1 + 1 / unit)
    scale = sqrt(now + 1)
    gone = root(both, shrink * scale, sqrt(1 + 1 / unit))
    return chain(exp(-z(t)), times(exp(-z(START)) / scale, gone), bound / scale)


@cache
def late() -> Theorem:
    """(4 c/M)(t - 4 R b (sqrt(t + 1) - 1)) <= 1/l(t) - 1/l(0), as w_1^2 >= 1 - 2 R e^{-z}."""
    D, inverse, scale, first = (
        derivative(1 / above_floor, t),
        1 / above_floor,
        sqrt(CLOCK(t) + 1),
        at_0(1 / above_floor),
    )
    square = specialise(arithmetic(1 - 2 * x, "<=", (1 / (1 + x)) ** 2), {x: R * exp(-z(t))})
    loss_of_speed = times(2 * R, odds_vanish())
    less = arithmetic(
        1 - loss_of_speed.rhs,
        "<=",
        1 - loss_of_speed.lhs,
        gap(loss_of_speed),
        hide=(loss_of_speed.lhs, loss_of_speed.rhs),
    )
    rate = times(4 * c / M, chain(less, square, w_1**2))
    rate = chain(rate, growth()[0])
    falling = 4 * c / M * (CLOCK(t) - 4 * R * bound * scale) - inverse
    slope_ = arithmetic(derivative(falling, t), "==", rate.lhs - D, hide=(D, bound))
    fallen = fall(falling, t, chain(slope_, added(rate, -D), 0))
    start = arithmetic(fallen.rhs, "==", -4 * c / M * (4 * R * bound) - first, begin(), hide=(first, bound))
    left = 4 * c / M * (CLOCK(t) - 4 * R * bound * (scale - 1))
    return chain(left, added(chain(fallen, start), inverse + 4 * c / M * (4 * R * bound)), inverse - first)


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
def to_the_floor() -> Theorem:
    """(4 c/M) w_1(0)^2 t l <= 1."""
    l = above_floor
    early = chain(
        rate_0 * CLOCK(t), inverse_loss()[0], arithmetic(1 / l - 1 / at_0(l), "<=", 1 / l, hide=(l, at_0(l)))
    )
    most = times(l, early)
    return chain(most, arithmetic(most.rhs, "==", term(1), hide=(l,)))
