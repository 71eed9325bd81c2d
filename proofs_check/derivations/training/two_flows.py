"""Two gradient flows with one start, of the risks of finite and of infinite prompts: equations (24)
to (27) and Lemma E.1 of Boursier & Boyer.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import D_, chain, exp, sqrt
from numerics.derivations.flows import derivative
from numerics.derivations.rules import (
    arithmetic,
    assume,
    begin,
    continuation,
    fall,
    integrate,
    limit,
    replace,
    specialise,
    then,
)
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.terms import CLOCK, START, Function, Op, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.risks.mean_of_a_vector import norm, norm_of_a_sum, triangle
from proofs_check.derivations.risks.outcomes import i, p, parameters
from theory.regression.transfer import distance_26, distance_of_flows

t, s = Variable("t", Sort.TIME), Variable("s", Sort.TIME)
g2, beta, rho = (Variable(name, range=POSITIVE) for name in ("g2", "beta", "rho"))
T = Variable("T", range=NONNEGATIVE)
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
horizon = assume("times up to T", CLOCK(t), "<=", T, every=(t,))
early = assume("L is at least L*(T), so that (27) holds", bound_26(T), "<=", rho)
barrier = assume("the finite-prompt flow is in the larger ball", square(thetaL), "<=", 4 * rho**2, every=(t,))
EVERY = (*flows, same_start, close_gradients, lipschitz, in_small_ball)


def statement(c: int | Fraction = 1) -> Statement:
    """(23): the distance of the flows is at most c times that of (26), up to the time T of (27)."""
    return Statement(distance_now, "<=", bound_26(CLOCK(t), c), hypotheses(*EVERY, horizon, early))


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
        Statement(sqrt(square(thetaL)), "<=", Fraction(radius) * rho, hypotheses(*EVERY, horizon, early)),
    )


def _young(X: Term, Y: Term, P: Term) -> Theorem:
    """-2XY <= P X^2 + Y^2/P for a positive P."""
    x, y, w = (Variable(name, range=REALS) for name in "xyw")
    p = Variable("p", range=POSITIVE)
    line = specialise(arithmetic(-2 * x * y, "<=", -2 * x * y + p * w**2), {w: x + y / p})
    return specialise(chain(line, p * x**2 + y**2 / p), {x: X, y: Y, p: P})


def _fields(inside: Theorem) -> tuple[Theorem, Theorem]:
    """How far the gradients are apart where the finite-prompt flow is in the ball."""
    first = arithmetic(gap(gL, gS), "<=", g2**2, close_gradients, inside)
    return first, arithmetic(gap(gS, g), "<=", beta**2 * gap(thetaL, theta), lipschitz, inside)


@cache
def speed() -> Theorem:
    """(24), (25) and Corollary E.5, by the triangle inequality for the gradients."""
    pairs = ((gL(i, t) - gS(i, t), g2), (gS(i, t) - g(i, t), beta * distance_now))
    parts = []
    for thm, (v, most) in zip(_fields(barrier), pairs, strict=True):
        root = replace(norm(v), thm)
        parts.append((v, chain(root, arithmetic(root.rhs, "==", most, hide=(gap(thetaL, theta),)))))
    apart = thetaL.rate(i, t) - theta.rate(i, t)
    each = arithmetic(apart**2, "==", (parts[0][0] + parts[1][0]) ** 2, *flows)
    return chain(replace(norm(apart), integrate("coordinates", (i,), each, (p,))), triangle(*parts))


def _speed(inside: Theorem, F: Term) -> Theorem:
    """The derivative of F = sqrt(|theta_L - theta|^2 + delta^2) is at most g2 + beta F, where the
    finite-prompt flow is in the ball.
    """
    squared = gap(thetaL, theta)
    first, second = _fields(inside)
    apart, of_field, of_place = thetaL(i, t) - theta(i, t), gL(i, t) - gS(i, t), gS(i, t) - g(i, t)
    moved = arithmetic(
        2 * apart * (thetaL.rate(i, t) - theta.rate(i, t)), "==", -2 * apart * (of_field + of_place), *flows
    )
    two = _young(apart, of_field, g2 / F), _young(apart, of_place, beta)
    both = -2 * apart * of_field + -2 * apart * of_place
    each = chain(moved, both, replace(both, *two))
    parts = g2 / F * squared + gap(gL, gS) / (g2 / F) + beta * squared + gap(gS, g) / beta
    total = chain(integrate("coordinates", (i,), each, (p,)), parts, replace(parts, first, second))
    less = arithmetic(squared, "<=", F**2)
    one_over_F = (squared + D_**2) ** Fraction(-1, 2)
    form = arithmetic(total.rhs * one_over_F / 2, "==", total.rhs / F / 2)
    enough = arithmetic(total.rhs / F / 2, "<=", g2 + beta * F, less, hide=(F,))
    return chain(derivative(F, t), replace(total.lhs * one_over_F / 2, total), form, enough)


@cache
def _distance(inside: Theorem) -> Theorem:
    """Gronwall's bound where the finite-prompt flow is in the ball: e^{-beta t}(F + g2/beta) falls,
    with F the distance of the flows, made smooth by a delta that tends to 0.
    """
    squared, now = gap(thetaL, theta), CLOCK(t)
    F = sqrt(squared + D_**2)
    speed = _speed(inside, F)
    decay, growth = exp(-beta * now), exp(beta * now)
    falling = decay * (F + g2 / beta)
    rate = arithmetic(decay * (speed.lhs - beta * F - g2), "<=", 0, speed, hide=(F, speed.lhs, decay))
    fallen = fall(falling, t, chain(derivative(falling, t), rate))
    shrunk = then(fallen, arithmetic(fallen.rhs, "==", D_ + g2 / beta, begin(), _one_start()))
    near = chain(F + g2 / beta, growth * falling, replace(growth * falling, shrunk))
    size = arithmetic(F, "<=", near.rhs - g2 / beta, near, hide=(F, near.rhs, g2 / beta))
    return limit(chain(arithmetic(sqrt(squared), "<=", F), size), D_, sharp(now), growth)


def _one_start() -> Theorem:
    each = arithmetic((thetaL(i, START) - theta(i, START)) ** 2, "==", 0, same_start)
    return chain(integrate("coordinates", (i,), each, (p,)), 0)


@cache
def less_than_rho() -> Theorem:
    """g2(e^{beta T} - 1)/beta < rho if (27) holds: A(e^x - 1) <= y - y^2/(y + B) with y = 3 A e^x
    and B = A x e^x, where A = g2/beta and x = beta T; this rises in B, and is less than B.
    """
    x = Variable("x_", range=NONNEGATIVE)
    A, y, B = (Variable(name, range=POSITIVE) for name in ("A_", "y_", "B_"))
    share = lambda y, B: y - y**2 / (y + B)
    y_T = 3 * (g2 / beta) * exp(beta * T)
    scaled = arithmetic(exp(x) - 1, "<=", 3 * x * exp(x) / (3 + x))
    line = replace(A * scaled.lhs, scaled)
    line = chain(line, arithmetic(line.rhs, "==", share(3 * A * exp(x), A * x * exp(x))))
    line = chain(sharp(T), specialise(line, {A: g2 / beta, x: beta * T}), share(y_T, bound_26(T)))
    strict = specialise(arithmetic(share(y, B), "<", B), {y: y_T, B: rho})
    return chain(line, replace(line.rhs, early), strict)


def kept_in_the_ball(thm: Theorem, early: Callable[[], Theorem] = less_than_rho) -> Theorem:
    """What holds as long as the finite-prompt flow is in the ball of radius 2 rho holds up to T, if
    `early` says that Gronwall's bound of the distance is less than rho at T.
    """
    most = sharp(T)
    apart = then(_distance(barrier), replace(sharp(CLOCK(t)), horizon))
    within = replace(norm(theta(i, t)), in_small_ball)
    within = chain(within, arithmetic(within.rhs, "==", rho))
    way = norm_of_a_sum(theta(i, t), thetaL(i, t) - theta(i, t))
    root = chain(sqrt(square(thetaL)), way, replace(way.rhs, within, apart))
    inside = chain(square(thetaL), replace(sqrt(square(thetaL)) ** 2, root))
    positive = arithmetic(0, "<=", most)
    below = arithmetic(inside.rhs, "<", 4 * rho**2, early(), positive, hide=(most,))
    begins = integrate(
        "coordinates", (i,), arithmetic(thetaL(i, START) ** 2, "==", theta(i, START) ** 2, same_start), (p,)
    )
    start = chain(begins, specialise(in_small_ball, {t: START}), arithmetic(rho**2, "<=", 4 * rho**2))
    (own,) = barrier.assumptions
    return continuation(own, t, inside, below, start, thm)


@cache
def distance() -> Theorem:
    """(26) up to the time T."""
    return kept_in_the_ball(distance_in_the_ball())


@cache
def distance_in_the_ball() -> Theorem:
    """(26) as long as the finite-prompt flow is in the ball, as e^x - 1 <= x e^x."""
    x = Variable("x", range=NONNEGATIVE)
    line = specialise(arithmetic(exp(x) - 1, "<=", x * exp(x)), {x: beta * CLOCK(t)})
    gronwall = chain(_distance(barrier), g2 / beta * line.lhs)
    return chain(gronwall, replace(gronwall.rhs, line), bound_26(CLOCK(t)))


@cache
def in_the_ball() -> Theorem:
    """Up to T the finite-prompt flow is in the ball of radius 2 rho, in squares."""
    return kept_in_the_ball(barrier)


@cache
def norm_in_the_ball() -> Theorem:
    """Up to T the finite-prompt flow is in the ball of radius 2 rho."""
    root = replace(sqrt(square(thetaL)), in_the_ball())
    return chain(root, arithmetic(root.rhs, "==", 2 * rho))


@cache
def gronwall() -> Theorem:
    """Gronwall's bound as long as the finite-prompt flow is in the ball."""
    return _distance(barrier)
