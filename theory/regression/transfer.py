"""Bounds, with explicit constants, on what a finite prompt changes of risk, gradient and gradient
flow: what replaces Section 4 and Appendix E of Boursier & Boyer where they are false.

``R`` is the infinite-prompt risk of the squared loss at (U, V), ``T`` the output there and ``J``
its Jacobian in the parameters; ``D = T_L - T`` and ``dJ = J_L - J`` are what a prompt of L tokens
changes. Mean squares are over task, prompt and query: ``D2 = E|D|^2``, ``J2 = E|J|^2``,
``dJ2 = E|dJ|^2``. On the ball of radius 2 rho the two risks differ by at most ``g1`` and their
gradients by at most ``g2``; ``beta`` is the Lipschitz constant of the gradient of R, ``kappa`` that
of R.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from theory.inputs.arguments import read

__all__ = [
    "distance_26",
    "distance_of_flows",
    "gradient_gap",
    "horizon",
    "mean_of_rate",
    "risk_gap",
    "risk_gap_smooth",
    "slow_time",
    "sufficient_g2",
    "transferred_limit",
    "transferred_risk",
]

Scalar = Any  # float, array of floats or sympy.Expr


def risk_gap(risk: Scalar, D2: Scalar) -> Scalar:
    """Bound ``sqrt(2 R D2) + D2 / 2`` of ``|R_L - R|`` for the squared loss, an equality where
    T = y; it replaces Lemma E.2.
    """
    m, risk, D2 = read(risk=risk, D2=D2)
    return m.sqrt(2 * risk * D2) + D2 / 2


def risk_gap_smooth(T2: Scalar, y2: Scalar, D2: Scalar) -> Scalar:
    """Bound ``sqrt((T2 + y2) D2) + D2 / 2`` of ``|R_L - R|`` for any jointly 1-smooth loss l with
    ``grad_1 l(0, 0) = 0``; ``T2 = E|T|^2`` and ``y2 = E|y|^2``.
    """
    m, T2, y2, D2 = read(T2=T2, y2=y2, D2=D2)
    return m.sqrt((T2 + y2) * D2) + D2 / 2


def gradient_gap(risk: Scalar, D2: Scalar, J2: Scalar, dJ2: Scalar) -> Scalar:
    """Bound ``(sqrt(2 R) + sqrt(D2)) sqrt(dJ2) + sqrt(J2 D2)`` of ``|grad R_L - grad R|`` for the
    squared loss; it replaces Lemma E.4.
    """
    m, risk, D2, J2, dJ2 = read(risk=risk, D2=D2, J2=J2, dJ2=dJ2)
    return (m.sqrt(2 * risk) + m.sqrt(D2)) * m.sqrt(dJ2) + m.sqrt(J2 * D2)


def distance_of_flows(g2: Scalar, beta: Scalar, time: Scalar) -> Scalar:
    """Bound ``g2 (e^{beta t} - 1) / beta`` of ``|theta_L(t) - theta(t)|`` up to `horizon`, from
    Gronwall's inequality. At most `distance_26`, and an equality for ``R = -beta theta^2/2``,
    ``R_L = R - g2 theta``.
    """
    m, g2, beta, time = read(g2=g2, beta=beta, time=time)
    return g2 * (m.exp(beta * time) - 1) / beta


def distance_26(g2: Scalar, beta: Scalar, time: Scalar) -> Scalar:
    """The bound ``g2 t e^{beta t}`` of eq. (26); eq. (23) prints another constant, ``beta_L``."""
    m, g2, beta, time = read(g2=g2, beta=beta, time=time)
    return g2 * time * m.exp(beta * time)


def horizon(g2: Scalar, beta: Scalar, rho: Scalar) -> Scalar:
    """The time ``ln(1 + beta rho / g2) / beta`` up to which the finite-prompt flow certainly stays
    within rho of the infinite-prompt flow: `distance_of_flows` is rho there. It grows without bound
    as g2 -> 0.
    """
    m, g2, beta, rho = read(g2=g2, beta=beta, rho=rho)
    return m.log(1 + beta * rho / g2) / beta


def transferred_risk(
    risk: Scalar, g1: Scalar, kappa: Scalar, g2: Scalar, beta: Scalar, time: Scalar
) -> Scalar:
    """Bound ``R + g1 + kappa g2 (e^{beta t} - 1) / beta`` of the finite-prompt risk at every time
    from ``t`` on, for ``t`` up to `horizon`, with the infinite-prompt risk R at time t of its own
    flow. Its infimum over t bounds the limit of the finite-prompt risk.
    """
    _, risk, g1, kappa = read(risk=risk, g1=g1, kappa=kappa)
    return risk + g1 + kappa * distance_of_flows(g2, beta, time)


def transferred_limit(
    excess: Scalar, mu: Scalar, g1: Scalar, kappa: Scalar, g2: Scalar, beta: Scalar
) -> Scalar:
    """Bound of ``lim R_L - lim R`` where the infinite-prompt risk falls to its limit like
    ``excess e^{-mu t}``: ``g1 + excess (1 + mu / beta) q^{mu / (mu + beta)}`` with
    ``q = kappa g2 / (excess mu)``, if ``q <= 1`` and the time ``ln(1/q) / (mu + beta)`` is before
    `horizon`. It is `transferred_risk` there, with 1 dropped from ``e^{beta t} - 1``.
    """
    _, excess, mu, g1, kappa, g2, beta = read(excess=excess, mu=mu, g1=g1, kappa=kappa, g2=g2, beta=beta)
    q = kappa * g2 / (excess * mu)
    return g1 + excess * (1 + mu / beta) * q ** (mu / (mu + beta))


def sufficient_g2(epsilon: Scalar, excess: Scalar, mu: Scalar, kappa: Scalar, beta: Scalar) -> Scalar:
    """How small g2 has to be for the second term of `transferred_limit` to be at most epsilon / 2:
    ``(excess mu / kappa) (epsilon / (2 excess (1 + mu/beta)))^{1 + beta/mu}``. With
    ``g1(L) <= epsilon/2`` it makes L(epsilon) of Theorem 4.3 explicit.
    """
    _, epsilon, excess, mu, kappa, beta = read(epsilon=epsilon, excess=excess, mu=mu, kappa=kappa, beta=beta)
    return excess * mu / kappa * (epsilon / (2 * excess * (1 + mu / beta))) ** (1 + beta / mu)


def slow_time(g2: Scalar, beta: Scalar) -> Scalar:
    """A time ``ln(1/g2) / (2 beta)`` that tends to infinity as g2 -> 0, so slowly that the two
    flows still meet: an explicit T(L) for Section 4. `distance_26` there is
    ``sqrt(g2) ln(1/g2) / (2 beta)``.
    """
    m, g2, beta = read(g2=g2, beta=beta)
    return m.log(1 / g2) / (2 * beta)


def mean_of_rate(L: Scalar, c: Scalar, p: Scalar, a: Scalar, s12: Scalar) -> Scalar:
    """Bound of ``E[sigma^p ln(L)^a / L^{c/sigma^2}]``, p < 12 and L >= 2, by ``s12 = E sigma^12``
    alone: ``(k/(c e))^k E[sigma^12] ln(L)^{a-k}`` with ``k = 6 - p/2``, since
    ``u^k e^{-u} <= (k/e)^k``. For p = 0, a = 4 it shows that the second half of Assumption 4.2 (ii)
    follows from the first.
    """
    if not 0 <= p < 12:
        raise ValueError(f"p = {p} is outside [0, 12): no power of ln L can be won from twelve moments")
    m, L, c, s12 = read(L=L, c=c, s12=s12)
    number = sp.Rational if isinstance(L, sp.Basic) else float
    k, a = number((12 - Fraction(p)) / 2), number(Fraction(a))
    return (k / (c * m.exp(number(1)))) ** k * s12 * m.log(L) ** (a - k)
