"""R5: from every start in the orthant with u(0) + tr(S U(0) S) > 0 the flow keeps away from the
saddles, where u = 0: phi = kappa u + tr(S U S) is at least a number low > 0, so that du/dt is at
least low - beta u.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import START, Function, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import gap, product, times
from proofs_check.derivations.linear_attention.any_start.orthant import (
    K,
    Lambda,
    Q,
    bounds,
    now,
    orthant,
    q_max,
    slopes,
    starts,
    tau,
    top,
)
from proofs_check.derivations.linear_attention.eigenbasis import U_, at_start, l, t, trace, u, u_
from proofs_check.derivations.linear_attention.matrices import i

kappa, low = Variable("kappa", range=POSITIVE), Variable("low", range=POSITIVE)
room = assume("kappa^2 + cap ball kappa is at most sum_i l_i^4/2", kappa**2 + q_max * kappa, "<=", K / 2)
phi, c = kappa * u + tau, top / kappa**2
#: What phi never falls below.
lowest = (
    assume("low is at most kappa u(0) + tr(S U(0) S)", low, "<=", at_start(phi)),
    assume("low^2 is at most kappa^3/cap", c * low**2, "<=", kappa),
)
#: The integral of phi (phi + low).
area = Function("I", (Sort.TIME,), Fraction(1))
integral = assume("I grows at the rate phi (phi + low)", area.rate(t), "==", phi * (phi + low), every=(t,))
beta = kappa + q_max


@cache
def signs() -> tuple[Theorem, Theorem, Theorem]:
    """phi >= 0, kappa u <= phi and tau <= phi."""
    of_u, of_tau, _ = orthant()
    more = show(0, "<=", kappa * u, times(kappa, of_u))
    return (
        show(0, "<=", phi, more, of_tau, kappa * u, tau),
        show(kappa * u, "<=", phi, of_tau, kappa * u, tau),
        show(tau, "<=", phi, more, kappa * u, tau),
    )


@cache
def grows() -> Theorem:
    """kappa phi - c phi^3 <= d phi/dt."""
    (u_slope, U_slope), (of_u, of_tau, of_Lambda) = slopes(), orthant()
    positive, u_small, tau_small = signs()
    each = show(l(i) ** 2 * U_.rate(i, i, t), "==", l(i) ** 2 * U_slope.rhs, U_slope)
    diagonal = calc(trace(each.lhs), ("==", trace(each.rhs), each), ("==", u * K - u**2 * Lambda))
    moved = calc(
        derivative(phi, t),
        ("==", kappa * u_.rate(t) + diagonal.lhs),
        (
            "==",
            kappa * (tau - u * Q) + diagonal.rhs,
            u_slope,
            diagonal,
            u_.rate(t),
            diagonal.lhs,
            diagonal.rhs,
        ),
        ("==", kappa * tau - kappa * u * Q + u * K - u**2 * Lambda),
    )
    slow = times(kappa * u, bounds()[1], product(kappa, u, of_u))
    squares = calc(
        (kappa * u) ** 2,
        ("==", kappa * u * (kappa * u)),
        ("<=", kappa * u * phi, times(kappa * u, u_small, product(kappa, u, of_u))),
        ("<=", phi * phi, times(phi, u_small, positive)),
    )
    far = calc(
        u**2 * Lambda,
        ("<=", u**2 * (top * tau), times(u**2, of_Lambda)),
        ("==", c * tau * (kappa * u) ** 2),
        ("<=", c * tau * (phi * phi), times(c * tau, squares, product(c, tau, of_tau))),
        ("<=", c * (phi * phi) * phi, times(c * (phi * phi), tau_small)),
    )
    gain = times(u, room, of_u)
    half = show(0, "<=", u * K, product(u, K, of_u))
    return calc(
        kappa * phi - c * phi**3,
        ("==", kappa * tau + kappa**2 * u - c * (phi * phi) * phi),
        ("<=", kappa * tau + kappa**2 * u - u**2 * Lambda, far),
        ("==", kappa * tau - kappa * u * q_max + u * (kappa**2 + q_max * kappa) - u**2 * Lambda),
        ("<=", kappa * tau - kappa * u * Q + u * (kappa**2 + q_max * kappa) - u**2 * Lambda, slow),
        ("<=", kappa * tau - kappa * u * Q + u * (K / 2) - u**2 * Lambda, gain),
        ("<=", kappa * tau - kappa * u * Q + u * K - u**2 * Lambda, half),
        ("==", derivative(phi, t), moved),
    )


@cache
def phi_at_least() -> Theorem:
    """low <= phi: with e = phi - low the derivative of e^{c I} e is at least 0, as kappa - c phi^2
    is at least c (low^2 - phi^2).
    """
    positive, e, weight = signs()[0], phi - low, exp(c * area(t))
    near = calc(
        -(c * (phi * (phi + low)) * e),
        ("==", phi * (c * low**2) - c * phi**3),
        ("<=", phi * kappa - c * phi**3, times(phi, lowest[1], positive)),
        ("<=", derivative(phi, t), grows()),
    )
    falling = -(weight * e)
    slope = calc(
        derivative(falling, t),
        ("==", weight * (-(c * area.rate(t) * e) - derivative(phi, t))),
        ("==", weight * (-(c * (phi * (phi + low)) * e) - derivative(phi, t)), integral),
        ("<=", weight * (derivative(phi, t) - derivative(phi, t)), near),
        ("==", 0),
    )
    begins = product(at_start(weight), at_start(e), gap(lowest[0]))
    kept = calc(antitone(falling, t, slope), ("==", -begins.rhs), ("<=", 0, begins))
    return calc(low, ("==", phi + falling / weight), ("<=", phi, kept))


@cache
def u_at_least() -> Theorem:
    """(low/beta) (1 - e^{-beta t}) <= u, as du/dt >= low - beta u."""
    slow = times(u, bounds()[1], orthant()[0])
    rate = calc(
        low - beta * u,
        ("<=", phi - beta * u, phi_at_least()),
        ("==", tau - u * q_max),
        ("<=", tau - u * Q, slow),
        ("==", u_.rate(t), slopes()[0]),
    )
    weight = exp(beta * now)
    falling = weight * (low / beta - u)
    slope = calc(
        derivative(falling, t),
        ("==", weight * ((low - beta * u) - u_.rate(t))),
        ("<=", weight * (u_.rate(t) - u_.rate(t)), rate),
        ("==", 0),
    )
    begins = calc(
        antitone(falling, t, slope),
        ("==", low / beta - u_(START), begin()),
        ("<=", low / beta, starts[0]),
    )
    return calc(
        low / beta * (1 - exp(-beta * now)),
        ("==", exp(-beta * now) * (falling - low / beta) + u),
        ("<=", exp(-beta * now) * (low / beta - low / beta) + u, begins),
        ("==", u),
    )
