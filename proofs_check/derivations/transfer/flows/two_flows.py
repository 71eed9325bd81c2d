"""Two gradient flows with one start, of the risks of finite and of infinite prompts: equations (24)
to (27) and Lemma E.1 of Boursier & Boyer.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import D_, exp, sqrt
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, continuation, instantiate, limit
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks.mean_of_a_vector import norm, norm_of_a_sum
from proofs_check.derivations.transfer.risks.outcomes import i, parameters
from theory.regression.transfer import distance_26, distance_of_flows

t, s = Variable("t", Sort.TIME), Variable("t1", Sort.TIME)
g2, beta, rho = (Variable(name, range=POSITIVE) for name in ("g2", "beta", "rho"))
T = Variable("T1", range=NONNEGATIVE)
_path = lambda name: Function(name, (Sort.INDEX, Sort.TIME), Fraction(1))
_field = lambda name: Function(name, (Sort.INDEX, Sort.TIME))
#: The parameters, the gradient of the finite-prompt risk at its own, and that of the other at both.
thetaL, theta, gL, gS, g = _path("thetaL"), _path("theta"), _field("gL"), _field("gS"), _field("gI")


def square(u: Function, when: Variable = t) -> Term:
    """The squared norm of a vector."""
    return parameters(u(i, when) ** 2)


def gap(u: Function, v: Function, when: Variable = t) -> Term:
    """The squared distance of two vectors."""
    return parameters((u(i, when) - v(i, when)) ** 2)


def in_ball(when: Variable = t) -> Term:
    """Whether the finite-prompt flow is in the closed ball of radius 2 rho."""
    return Op("ind", (4 * rho**2 - square(thetaL, when),))


@cache
def bound_26(when: Term, c: int | Fraction = 1) -> Term:
    """The right side of (26), from `theory`, times c."""
    names = sp.symbols("g2 beta t", positive=True)
    return c * from_sympy(distance_26(*names), dict(zip(names, (g2, beta, when), strict=True)))


@cache
def sharp(when: Term, c: int | Fraction = 1) -> Term:
    """g2(e^{beta t} - 1)/beta, what Gronwall's inequality gives, from `theory`, times c."""
    names = sp.symbols("g2 beta t", positive=True)
    return c * from_sympy(distance_of_flows(*names), dict(zip(names, (g2, beta, when), strict=True)))


flows = (
    assume("finite-prompt flow", thetaL.rate(i, t), "==", -gL(i, t), every=(i, t)),
    assume("infinite-prompt flow", theta.rate(i, t), "==", -g(i, t), every=(i, t)),
)
same_start = assume("one start", thetaL(i, START), "==", theta(i, START), every=(i,))
now = CLOCK(t)
distance_now = sqrt(gap(thetaL, theta))
close_gradients = assume("gradients within g2 on the ball", in_ball() * gap(gL, gS), "<=", g2**2, every=(t,))
lipschitz = assume(
    "C^2 infinite-prompt risk: beta is the Lipschitz constant of its gradient on the ball",
    in_ball() * gap(gS, g),
    "<=",
    beta**2 * gap(thetaL, theta),
    every=(t,),
)
in_small_ball = assume("the infinite-prompt flow is in the ball", square(theta), "<=", rho**2, every=(t,))
horizon = assume("times up to T1", CLOCK(t), "<=", T, every=(t,))
early = assume("L is at least L*(T1), so that (27) holds", bound_26(T), "<=", rho)
#: That g2 is at most a number, as it is for long prompts.
Small = Callable[..., Theorem]


def enough(most: Term) -> Term:
    """If g2 is at most this, then g2 T e^{beta T} is at most `most`."""
    return most * exp(-beta * T) / (1 + T)


barrier = assume("the finite-prompt flow is in the larger ball", square(thetaL), "<=", 4 * rho**2, every=(t,))
EVERY = (*flows, same_start, close_gradients, lipschitz, in_small_ball)


def statements(c: int | Fraction = 1, radius: int | Fraction = 2) -> tuple[Statement, Statement, Statement]:
    """(24) with (25) and Corollary E.5, and (26), as long as the finite-prompt flow is in the ball
    of radius 2 rho, with c times their right sides; and that it is in the one of the given radius,
    in units of rho, up to the time T of (27).
    """
    given = hypotheses(*EVERY, barrier)
    apart = sqrt(parameters((thetaL.rate(i, t) - theta.rate(i, t)) ** 2))
    return (
        Statement(apart, "<=", Fraction(c) * (g2 + beta * distance_now), given),
        Statement(distance_now, "<=", bound_26(CLOCK(t), c), given),
        in_the_ball_statement(radius, hypotheses(early)),
    )


def in_the_ball_statement(radius: int | Fraction, early: frozenset[Assumption]) -> Statement:
    """Up to T the finite-prompt flow is in the ball of the given radius, in units of rho."""
    given = hypotheses(*EVERY, horizon) | early
    return Statement(sqrt(square(thetaL)), "<=", Fraction(radius) * rho, given)


def _young(X: Term, Y: Term, P: Term) -> Theorem:
    """-2XY <= P X^2 + Y^2/P for a positive P."""
    x, y = (Variable(name, range=REALS) for name in "xy")
    p = Variable("p", range=POSITIVE)
    line = show(-2 * x * y, "<=", p * x**2 + y**2 / p, show(0, "<=", p * (x + y / p) ** 2))
    return instantiate(line, {x: X, y: Y, p: P})


def _fields(inside: Theorem) -> tuple[Theorem, Theorem]:
    """How far the gradients are apart where the finite-prompt flow is in the ball."""
    first = show(gap(gL, gS), "<=", g2**2, close_gradients, inside)
    return first, show(gap(gS, g), "<=", beta**2 * gap(thetaL, theta), lipschitz, inside)


@proves("BB:24-27", statements, part=1)
@cache
def speed() -> Theorem:
    """(24), (25) and Corollary E.5, by the triangle inequality for the gradients."""
    here, there = gL(i, t) - gS(i, t), gS(i, t) - g(i, t)
    return calc(
        norm(thetaL.rate(i, t) - theta.rate(i, t)),
        ("<=", norm(here + there), *flows),
        ("<=", norm(here) + norm(there), norm_of_a_sum(here, there)),
        ("<=", g2 + beta * distance_now, *_fields(barrier)),
    )


def _speed(inside: Theorem, F: Term) -> Theorem:
    """The derivative of F = sqrt(|theta_L - theta|^2 + delta^2) is at most g2 + beta F, where the
    finite-prompt flow is in the ball.
    """
    apart, of_field, of_place = thetaL(i, t) - theta(i, t), gL(i, t) - gS(i, t), gS(i, t) - g(i, t)
    squared, of_both = gap(thetaL, theta), 2 * apart * (thetaL.rate(i, t) - theta.rate(i, t))
    each = calc(
        of_both,
        ("==", -2 * apart * of_field + -2 * apart * of_place, *flows),
        (
            "<=",
            g2 / F * apart**2 + of_field**2 / (g2 / F) + beta * apart**2 + of_place**2 / beta,
            _young(apart, of_field, g2 / F),
            _young(apart, of_place, beta),
        ),
    )
    return calc(
        derivative(F, t),
        ("==", parameters(of_both) / F / 2),
        (
            "<=",
            (g2 / F * squared + gap(gL, gS) / (g2 / F) + beta * squared + gap(gS, g) / beta) / F / 2,
            each,
        ),
        ("<=", (g2 / F * squared + g2 * F + 2 * beta * squared) / F / 2, *_fields(inside)),
        ("<=", g2 + beta * F, show(squared, "<=", F**2), F),
    )


@cache
def _distance(inside: Theorem) -> Theorem:
    """Gronwall's bound where the finite-prompt flow is in the ball: e^{-beta t}(F + g2/beta) falls,
    with F the distance of the flows, made smooth by a delta that tends to 0.
    """
    now = CLOCK(t)
    F = sqrt(gap(thetaL, theta) + D_**2)
    speed, decay, growth = _speed(inside, F), exp(-beta * now), exp(beta * now)
    falling = decay * (F + g2 / beta)
    fallen = antitone(falling, t, calc(derivative(falling, t), ("<=", 0, speed)))
    fallen = calc(fallen, ("==", D_ + g2 / beta, begin(), _one_start()))
    near = calc(
        distance_now,
        ("<=", F),
        ("==", growth * falling - g2 / beta),
        ("<=", growth * (D_ + g2 / beta) - g2 / beta, fallen),
    )
    return limit(near, D_, sharp(now), growth)


def _one_start() -> Theorem:
    return show(gap(thetaL, theta, START), "==", 0, same_start)


@cache
def small_at_T(most: Term, small: Small) -> Theorem:
    """g2 T e^{beta T} <= most for long prompts."""
    return calc(
        bound_26(T),
        ("<=", enough(most) * T * exp(beta * T), small(enough(most))),
        ("==", most * (T / (1 + T))),
        ("<=", most, show(T / (1 + T), "<=", 1), most),
    )


@cache
def less_than_rho(early: Theorem = early) -> Theorem:
    """g2(e^{beta T} - 1)/beta < rho if (27) holds: A(e^x - 1) <= y - y^2/(y + B) with y = 3 A e^x
    and B = A x e^x, where A = g2/beta and x = beta T; this rises in B, and is less than B.
    """
    x = Variable("x_", range=NONNEGATIVE)
    A, y, B = (Variable(name, range=POSITIVE) for name in ("A_", "y_", "B_"))
    share = lambda y, B: y - y**2 / (y + B)
    y_T = 3 * (g2 / beta) * exp(beta * T)
    scaled = show(exp(x) - 1, "<=", 3 * x * exp(x) / (3 + x))
    line = calc(
        A * (exp(x) - 1),
        ("<=", A * (3 * x * exp(x) / (3 + x)), scaled),
        ("==", share(3 * A * exp(x), A * x * exp(x))),
    )
    strict = instantiate(show(share(y, B), "<", B), {y: y_T, B: rho})
    return calc(
        sharp(T),
        ("<=", share(y_T, bound_26(T)), instantiate(line, {A: g2 / beta, x: beta * T})),
        ("<=", share(y_T, rho), early),
        ("<", rho, strict),
    )


def kept_in_the_ball(thm: Theorem, early: Callable[[], Theorem] = less_than_rho) -> Theorem:
    """What holds as long as the finite-prompt flow is in the ball of radius 2 rho holds up to T, if
    `early` says that Gronwall's bound of the distance is less than rho at T.
    """
    inside, start = _inside(), _starts_inside()
    below = show(inside.rhs, "<", 4 * rho**2, early(), show(0, "<=", sharp(T)), sharp(T))
    (own,) = barrier.assumptions
    return continuation(own, t, inside, below, start, thm)


@cache
def _inside() -> Theorem:
    """|theta_L|^2 <= (rho + g2(e^{beta T} - 1)/beta)^2 within the barrier."""
    there, apart = theta(i, t), thetaL(i, t) - theta(i, t)
    root = calc(
        sqrt(square(thetaL)),
        ("<=", norm(there) + norm(apart), norm_of_a_sum(there, apart)),
        ("<=", norm(there) + sharp(CLOCK(t)), _distance(barrier)),
        ("<=", rho + sharp(T), in_small_ball, horizon),
    )
    return calc(square(thetaL), ("==", sqrt(square(thetaL)) ** 2), ("<=", (rho + sharp(T)) ** 2, root))


@cache
def _starts_inside() -> Theorem:
    return calc(
        square(thetaL, START),
        ("==", square(theta, START), same_start),
        ("<=", rho**2, instantiate(in_small_ball, {t: START})),
        ("<=", 4 * rho**2),
    )


@cache
def for_long_prompts(small: Small) -> Callable[[], Theorem]:
    """(27) for long prompts, and so Gronwall's bound is less than rho at T."""
    return lambda: less_than_rho(small_at_T(rho, small))


@cache
def distance(small: Small) -> Theorem:
    """(26) up to the time T."""
    return kept_in_the_ball(distance_in_the_ball(), for_long_prompts(small))


@proves("BB:24-27", statements, part=2)
@cache
def distance_in_the_ball() -> Theorem:
    """(26) as long as the finite-prompt flow is in the ball, as e^x - 1 <= x e^x."""
    x = Variable("x", range=NONNEGATIVE)
    line = instantiate(show(exp(x) - 1, "<=", x * exp(x)), {x: beta * CLOCK(t)})
    return calc(distance_now, ("<=", sharp(CLOCK(t)), gronwall()), ("<=", bound_26(CLOCK(t)), line))


@cache
def in_the_ball(early: Callable[[], Theorem]) -> Theorem:
    """Up to T the finite-prompt flow is in the ball of radius 2 rho, in squares."""
    return kept_in_the_ball(barrier, early)


@proves("BB:24-27", statements, part=3)
@cache
def norm_in_the_ball(early: Callable[[], Theorem] = less_than_rho) -> Theorem:
    """Up to T the finite-prompt flow is in the ball of radius 2 rho."""
    return show(sqrt(square(thetaL)), "<=", 2 * rho, in_the_ball(early))


@cache
def gronwall() -> Theorem:
    """Gronwall's bound as long as the finite-prompt flow is in the ball."""
    return _distance(barrier)
