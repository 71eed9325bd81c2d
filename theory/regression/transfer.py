"""Bounds, with explicit constants, on what a finite prompt changes of risk, gradient and gradient
flow: what replaces Section 4 and Appendix E of Boursier & Boyer where they are false.

``R`` is the infinite-prompt risk of the squared loss at (U, V), ``T`` the output there and ``J``
its Jacobian in the parameters; ``D = T_L - T`` and ``dJ = J_L - J`` are what a prompt of L tokens
changes. Mean squares are over task, prompt and query: ``D2 = E|D|^2``, ``J2 = E|J|^2``,
``dJ2 = E|dJ|^2``. On the ball of radius 2 rho the two risks differ by at most ``g1`` and their
gradients by at most ``g2``; there ``beta`` is the Lipschitz constant of the gradient of R, and
``kappa`` that of R.
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
    """Bound of ``|R_L - R|`` for the squared loss; it replaces Lemma E.2.

    Parameters
    ----------
    risk : number, array or Expr
        The infinite-prompt risk ``R = E(T - y)^2 / 2``.
    D2 : number, array or Expr

    Returns
    -------
    number, array or Expr
        ``sqrt(2 R D2) + D2 / 2``; an equality where T = y.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, or negative.

    Examples
    --------
    >>> risk_gap(2, 1), risk_gap(0, 0.5)
    (2.5, 0.25)
    """
    m, risk, D2 = read(risk=risk, D2=D2)
    return m.sqrt(2 * risk * D2) + D2 / 2


def risk_gap_smooth(T2: Scalar, y2: Scalar, D2: Scalar) -> Scalar:
    """Bound of ``|R_L - R|`` for any jointly 1-smooth loss l with ``grad_1 l(0, 0) = 0``.

    Parameters
    ----------
    T2, y2 : number, array or Expr
        ``E|T|^2`` and ``E|y|^2``.
    D2 : number, array or Expr

    Returns
    -------
    number, array or Expr
        ``sqrt((T2 + y2) D2) + D2 / 2``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, or negative.

    Examples
    --------
    >>> risk_gap_smooth(3, 1, 4)
    6.0
    """
    m, T2, y2, D2 = read(T2=T2, y2=y2, D2=D2)
    return m.sqrt((T2 + y2) * D2) + D2 / 2


def gradient_gap(risk: Scalar, D2: Scalar, J2: Scalar, dJ2: Scalar) -> Scalar:
    """Bound of ``|grad R_L - grad R|`` for the squared loss; it replaces Lemma E.4.

    Parameters
    ----------
    risk, D2 : number, array or Expr
        As in `risk_gap`.
    J2, dJ2 : number, array or Expr

    Returns
    -------
    number, array or Expr
        ``(sqrt(2 R) + sqrt(D2)) sqrt(dJ2) + sqrt(J2 D2)``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, or negative.

    Examples
    --------
    >>> gradient_gap(2, 1, 4, 9)
    11.0
    """
    m, risk, D2, J2, dJ2 = read(risk=risk, D2=D2, J2=J2, dJ2=dJ2)
    return (m.sqrt(2 * risk) + m.sqrt(D2)) * m.sqrt(dJ2) + m.sqrt(J2 * D2)


def distance_of_flows(g2: Scalar, beta: Scalar, time: Scalar) -> Scalar:
    """Bound of ``|theta_L(t) - theta(t)|`` up to `horizon`, from Gronwall's inequality.

    Parameters
    ----------
    g2, beta : number, array or Expr
    time : number, array or Expr

    Returns
    -------
    number, array or Expr
        ``g2 (e^{beta t} - 1) / beta``, at most `distance_26`; an equality for
        ``R = -beta theta^2/2``, ``R_L = R - g2 theta``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real or negative, or beta is 0.

    Examples
    --------
    >>> import sympy as sp
    >>> distance_of_flows(1, 1, sp.log(3))
    2
    """
    m, g2, beta, time = read(g2=g2, beta=beta, time=time)
    return g2 * (m.exp(beta * time) - 1) / beta


def distance_26(g2: Scalar, beta: Scalar, time: Scalar) -> Scalar:
    """The bound of eq. (26), ``g2 t e^{beta t}``.

    Parameters
    ----------
    g2, beta, time : number, array or Expr
        As in `distance_of_flows`. Equation (23) prints it with another constant, ``beta_L``.

    Returns
    -------
    number, array or Expr

    Raises
    ------
    TypeError, ValueError
        As in `distance_of_flows`.

    Examples
    --------
    >>> distance_26(2, 1, 0)
    0.0
    """
    m, g2, beta, time = read(g2=g2, beta=beta, time=time)
    return g2 * time * m.exp(beta * time)


def horizon(g2: Scalar, beta: Scalar, rho: Scalar) -> Scalar:
    """The time up to which the finite-prompt flow certainly stays within rho of the infinite-prompt
    flow.

    Parameters
    ----------
    g2, beta, rho : number, array or Expr
        All positive.

    Returns
    -------
    number, array or Expr
        ``ln(1 + beta rho / g2) / beta``, where `distance_of_flows` is rho. It grows without bound
        as g2 -> 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, or an allowed range is left.

    Examples
    --------
    >>> import sympy as sp
    >>> horizon(1, 1, 2)
    1.0986122886681098
    >>> g, b, r = sp.symbols("g b r", positive=True)
    >>> sp.simplify(distance_of_flows(g, b, horizon(g, b, r)))
    r
    """
    m, g2, beta, rho = read(g2=g2, beta=beta, rho=rho)
    return m.log(1 + beta * rho / g2) / beta


def transferred_risk(
    risk: Scalar, g1: Scalar, kappa: Scalar, g2: Scalar, beta: Scalar, time: Scalar
) -> Scalar:
    """Bound of the finite-prompt risk at every time from ``t`` on, for ``t`` up to `horizon`.

    Parameters
    ----------
    risk : number, array or Expr
        The infinite-prompt risk at time t of its own flow.
    g1, kappa, g2, beta, time : number, array or Expr

    Returns
    -------
    number, array or Expr
        ``R + g1 + kappa g2 (e^{beta t} - 1) / beta``. Its infimum over t bounds the limit of the
        finite-prompt risk.

    Raises
    ------
    TypeError, ValueError
        As in `distance_of_flows`.

    Examples
    --------
    >>> transferred_risk(0.5, 0.25, 1, 1, 1, 0)
    0.75
    """
    _, risk, g1, kappa = read(risk=risk, g1=g1, kappa=kappa)
    return risk + g1 + kappa * distance_of_flows(g2, beta, time)


def transferred_limit(
    excess: Scalar, mu: Scalar, g1: Scalar, kappa: Scalar, g2: Scalar, beta: Scalar
) -> Scalar:
    """Bound of ``lim R_L - lim R`` where the infinite-prompt risk falls to its limit like
    ``excess e^{-mu t}``.

    Parameters
    ----------
    excess, mu : number or Expr
        Positive.
    g1, kappa, g2, beta : number or Expr

    Returns
    -------
    number or Expr
        ``g1 + excess (1 + mu / beta) q^{mu / (mu + beta)}`` with ``q = kappa g2 / (excess mu)``, if
        ``q <= 1`` and the time ``ln(1/q) / (mu + beta)`` is before `horizon`: `transferred_risk`
        there, with 1 dropped from ``e^{beta t} - 1``.

    Raises
    ------
    TypeError, ValueError
        As in `distance_of_flows`.

    Examples
    --------
    >>> transferred_limit(1, 1, 0, 1, 0.01, 1)
    0.2
    """
    _, excess, mu, g1, kappa, g2, beta = read(excess=excess, mu=mu, g1=g1, kappa=kappa, g2=g2, beta=beta)
    q = kappa * g2 / (excess * mu)
    return g1 + excess * (1 + mu / beta) * q ** (mu / (mu + beta))


def sufficient_g2(epsilon: Scalar, excess: Scalar, mu: Scalar, kappa: Scalar, beta: Scalar) -> Scalar:
    """How small g2 has to be for the second term of `transferred_limit` to be at most epsilon / 2.

    Parameters
    ----------
    epsilon : number or Expr
        Positive.
    excess, mu, kappa, beta : number or Expr
        As in `transferred_limit`.

    Returns
    -------
    number or Expr
        ``(excess mu / kappa) (epsilon / (2 excess (1 + mu/beta)))^{1 + beta/mu}``. With
        ``g1(L) <= epsilon/2`` it makes L(epsilon) of Theorem 4.3 explicit.

    Raises
    ------
    TypeError, ValueError
        As in `distance_of_flows`.

    Examples
    --------
    >>> round(sufficient_g2(0.4, 1, 1, 1, 1), 12)
    0.01
    """
    _, epsilon, excess, mu, kappa, beta = read(epsilon=epsilon, excess=excess, mu=mu, kappa=kappa, beta=beta)
    return excess * mu / kappa * (epsilon / (2 * excess * (1 + mu / beta))) ** (1 + beta / mu)


def slow_time(g2: Scalar, beta: Scalar) -> Scalar:
    """A time that tends to infinity as g2 -> 0, so slowly that the two flows still meet: an
    explicit T(L) for Section 4.

    Parameters
    ----------
    g2, beta : number, array or Expr
        Positive, g2 < 1.

    Returns
    -------
    number, array or Expr
        ``ln(1/g2) / (2 beta)``; `distance_26` there is ``sqrt(g2) ln(1/g2) / (2 beta)``.

    Raises
    ------
    TypeError, ValueError
        As in `distance_of_flows`.

    Examples
    --------
    >>> import sympy as sp
    >>> slow_time(sp.exp(-4), 1)
    2
    """
    m, g2, beta = read(g2=g2, beta=beta)
    return m.log(1 / g2) / (2 * beta)


def mean_of_rate(L: Scalar, c: Scalar, p: Scalar, a: Scalar, s12: Scalar) -> Scalar:
    """Bound of ``E[sigma^p ln(L)^a / L^{c/sigma^2}]`` by the twelfth moment of sigma alone.

    Parameters
    ----------
    L : number or Expr
        At least 2.
    c : number or Expr
        Positive.
    p, a : number
        With ``p < 12``.
    s12 : number or Expr
        ``E sigma^12``.

    Returns
    -------
    number or Expr
        ``(k/(c e))^k E[sigma^12] ln(L)^{a-k}`` with ``k = 6 - p/2``, since
        ``u^k e^{-u} <= (k/e)^k``. For p = 0, a = 4 it shows that the second half of Assumption 4.2
        (ii) follows from the first.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, or leaves its range.

    Examples
    --------
    >>> import sympy as sp
    >>> mean_of_rate(sp.exp(10), 1, 8, 1, 1)
    2*exp(-2)/5
    """
    if not 0 <= p < 12:
        raise ValueError(f"p = {p} is outside [0, 12): no power of ln L can be won from twelve moments")
    m, L, c, s12 = read(L=L, c=c, s12=s12)
    number = sp.Rational if isinstance(L, sp.Basic) else float
    k, a = number((12 - Fraction(p)) / 2), number(Fraction(a))
    return (k / (c * m.exp(number(1)))) ** k * s12 * m.log(L) ** (a - k)
