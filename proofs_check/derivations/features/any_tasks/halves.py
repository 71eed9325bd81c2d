"""R11 for any law of tasks, both halves of the late law at every time: an upper bound of the time,
and the bound of the integral J of psi' (1/gamma - 1/x)_+ along the flow, with x = |g|/(2 loss).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, exp, log, root, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate, limit
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_tasks.flow import (
    V,
    b,
    error,
    errors,
    grows,
    least,
    least_share,
    loss,
    loss_is_V,
    low,
    psi,
    ratio,
    rest,
    stays_small,
    steepness,
    x,
)
from proofs_check.derivations.features.feature_flow import (
    Q,
    entries,
    eta,
    flow,
    g,
    i,
    j,
    p,
    queries,
    r,
    square,
    t,
)
from proofs_check.derivations.features.late_loss import A, away_from_the_class, margin, mu, size, some
from proofs_check.derivations.features.margin import gamma
from proofs_check.derivations.features.steps import gap, product, times

C = 1 + 1 / b
theta = 2 * C**2
now, N, Y = CLOCK(t), sqrt(square), exp(psi(t))
#: x of the proof, and by how much it exceeds gamma.
steep = N * Y / 2
over = Op("max", (term(0), steep - gamma))
excess = Function("J", (Sort.TIME,), Fraction(1))
rises = assume(
    "J grows at psi' (1/gamma - 1/x)_+", excess.rate(t), "==", 2 * eta / gamma * N * over, every=(t,)
)
from_0 = assume("J starts at 0", excess(START), "==", 0)

#: A number in place of x, and a small one.
X_ = Variable("X_", range=NONNEGATIVE)
delta = Variable("delta", range=POSITIVE)


@cache
def steep_enough() -> Theorem:
    """gamma (1 - q) <= x."""
    return calc(
        gamma * (1 - rest),
        ("==", Y / 2 * (2 * gamma * (1 - rest) * V)),
        ("<=", steep, times(Y / 2, steepness())),
    )


@cache
def above_1() -> Theorem:
    """1 <= (1 + 1/b) (1 - q)."""
    near = calc(C * rest, ("<=", C * ratio, times(C, stays_small())), ("==", 1 / b))
    return calc(1, ("==", C - 1 / b), ("<=", C - C * rest, near), ("==", C * (1 - rest)))


@cache
def far_from_1() -> Theorem:
    """1 <= (1 - q)^2 (1 + theta q), as (1 - q)^2 theta >= 2."""
    large = above_1()
    squares = calc(
        large, ("<=", (C * (1 - rest)) ** 2, times(large.rhs, large, show(0, "<=", large.rhs, large)))
    )
    return show(1, "<=", (1 - rest) ** 2 * (1 + theta * rest), times(2 * rest, squares))


@cache
def speed() -> Theorem:
    """psi' e^psi = 4 eta x^2."""
    return calc(psi.rate(t) * Y, ("==", eta * square * Y * Y, grows), ("==", 4 * eta * steep**2))


@cache
def upper() -> Theorem:
    """4 eta gamma^2 t <= (1 + 2 theta q)/loss: at the rate 4 eta gamma^2 or a larger one the right
    side grows.
    """
    falling = 4 * eta * gamma**2 * now - Y - 2 * theta * rest * Y
    room = gamma * (1 - rest)
    part = 1 + theta * rest
    positive = show(0, "<=", room, stays_small(), rest)
    squares = calc(
        room**2,
        ("==", room * room),
        ("<=", room * steep, times(room, steep_enough(), positive)),
        ("<=", steep**2, times(steep, steep_enough())),
    )
    fast = calc(
        gamma**2 * 1,
        ("<=", gamma**2 * ((1 - rest) ** 2 * part), times(gamma**2, far_from_1())),
        ("==", part * room**2),
        ("<=", part * steep**2, times(part, squares)),
    )
    slope = calc(
        derivative(falling, t),
        ("==", 4 * eta * gamma**2 - psi.rate(t) * Y * part),
        ("==", 4 * eta * gamma**2 - 4 * eta * steep**2 * part, speed()),
        ("==", 4 * eta * (gamma**2 * 1 - part * steep**2)),
        ("<=", 0, fast),
    )
    end = calc(antitone(falling, t, slope), ("<=", 0, begin()))
    return calc(
        4 * eta * gamma**2 * now * V,
        ("==", V * (falling + Y + 2 * theta * rest * Y)),
        ("<=", V * (Y + 2 * theta * rest * Y), end),
        ("==", 1 + 2 * theta * rest),
    )


@cache
def not_too_small() -> Theorem:
    """(pc/2) (mu/2)^2 e^{-2 gamma |Q|} <= the loss."""
    near = instantiate(margin, {A: ((i, j), Q(i, j, t))})
    part = (mu / 2) ** 2 * exp(-2 * gamma * size) * some
    each = calc(
        least / 2 * part,
        ("<=", p * low / 2 * part, times(part / 2, least_share)),
        ("==", p * low / 2 * away_from_the_class().lhs, size),
        ("<=", p * low / 2 * x**2, times(p * low / 2, away_from_the_class())),
        ("<=", p / 2 * error, times(p / 2, errors()[0])),
    )
    whole = least / 2 * ((mu / 2) ** 2 * exp(-2 * gamma * size))
    return calc(
        whole * 1,
        ("<=", whole * queries(some), times(whole, near)),
        ("==", queries(least / 2 * part)),
        ("<=", queries(p / 2 * error), each),
        ("==", loss),
        ("==", V, loss_is_V()),
    )


#: |Q|, smoothed where Q = 0.
length = sqrt(delta**2 + entries(Q(i, j, t) ** 2))


@cache
def path() -> Theorem:
    """|Q| grows at eta |g| at most."""
    inner = entries(Q(i, j, t) * g(i, j, t))
    schwarz = calc(
        cauchy_schwarz("coordinates", (i, j), Q(i, j, t), g(i, j, t), (r, r)),
        ("<=", length**2 * square),
    )
    most = root(schwarz, inner, length * N)
    moved = calc(
        entries(Q(i, j, t) * Q.rate(i, j, t)),
        ("==", entries(Q(i, j, t) * (eta * g(i, j, t))), flow),
        ("==", eta * inner),
    )
    return calc(
        derivative(length, t),
        ("==", moved.lhs / length),
        ("==", eta / length * inner, moved, moved.lhs, inner, length),
        ("<=", eta / length * (length * N), times(eta / length, most)),
        ("==", eta * N),
    )


#: The number of which the loss is at least e^{-2 gamma |Q|} times.
floor = least / 2 * (mu / 2) ** 2
at_0 = lambda e: instantiated(e, {t: START})


def most(one: int = 1) -> Term:
    """What J never exceeds."""
    return 2 * at_0(size) - (psi(START) + log(floor)) / gamma + 2 / gamma * (one + 1 / b) * ratio


@cache
def where_it_is_flat() -> Theorem:
    """(x - gamma)_+ <= x - gamma + (1 + 1/b) q x."""
    one = show(gamma - gamma * rest, "<=", steep, steep_enough())
    two = calc(
        gamma * rest * 1,
        ("<=", gamma * rest * (C * (1 - rest)), times(gamma * rest, above_1())),
        ("==", C * rest * (gamma * (1 - rest))),
        ("<=", C * rest * steep, times(C * rest, steep_enough())),
    )
    more = show(0, "<=", steep - gamma + C * rest * steep, one, two, steep, rest, C * rest * steep)
    return show(over, "<=", more.rhs, more, steep, C * rest * steep)


@cache
def early() -> Theorem:
    return show(at_0(length), "<=", at_0(size) + delta)


@cache
def begin_small() -> Theorem:
    return instantiate(stays_small(), {t: START})


@cache
def late() -> Theorem:
    """psi <= 2 gamma |Q| - ln(floor)."""
    least_V = floor * exp(-2 * gamma * size)
    ends = calc(
        log(floor) - 2 * gamma * size,
        ("==", log(least_V)),
        ("<=", log(V), not_too_small()),
        ("==", -psi(t)),
    )
    return show(psi(t), "<=", 2 * gamma * size - log(floor), ends)


@cache
def bounded() -> Theorem:
    """J <= 2 |Q(0)| + ln(loss(0)/floor)/gamma + 2/(b gamma)."""
    falling = excess(t) - psi(t) / gamma + 2 * length + 2 * C / gamma * rest
    grown = calc(psi.rate(t), ("==", 2 * eta * N * steep, grows))
    slope = calc(
        derivative(falling, t),
        (
            "==",
            excess.rate(t) - psi.rate(t) / gamma + 2 * derivative(length, t) - C / gamma * rest * psi.rate(t),
        ),
        ("<=", excess.rate(t) - psi.rate(t) / gamma + 2 * (eta * N) - C / gamma * rest * psi.rate(t), path()),
    )
    part = 2 * eta / gamma * N
    flat = where_it_is_flat()
    down = calc(
        slope,
        ("==", part * over - grown.rhs / gamma + 2 * (eta * N) - C / gamma * rest * grown.rhs, rises, grown),
        ("==", -(part * (flat.rhs - over))),
        ("<=", 0, product(part, flat.rhs - over, gap(flat))),
    )
    path_so_far = antitone(falling, t, down)
    start = calc(
        path_so_far,
        ("==", 2 * at_0(length) - psi(START) / gamma + 2 * C / gamma * at_0(rest), from_0),
        ("<=", 2 * (at_0(size) + delta) - psi(START) / gamma + 2 * C / gamma * ratio, early(), begin_small()),
    )
    near = calc(
        excess(t),
        ("==", falling + psi(t) / gamma - 2 * length - 2 * C / gamma * rest),
        ("<=", start.rhs + psi(t) / gamma - 2 * length, start),
        ("<=", start.rhs + (2 * gamma * size - log(floor)) / gamma - 2 * length, late()),
        ("<=", start.rhs - log(floor) / gamma, show(size, "<=", length)),
        ("==", most() + delta * 2),
    )
    return limit(near, delta, most(), 2)
