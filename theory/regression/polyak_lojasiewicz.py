"""Polyak-Lojasiewicz constants of the infinite-prompt flow from a start of Boursier & Boyer's
Assumption 5.1: the one printed in Appendix F.3, and ones that hold.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

__all__ = ["polyak_lojasiewicz", "polyak_lojasiewicz_f3", "scalar_floor"]


def _positive_eigenvalues(Sigma: sp.Matrix) -> list[sp.Expr]:
    return [value for value, times in Sigma.eigenvals().items() for _ in range(times) if value != 0]


def _frobenius(M: sp.Matrix) -> sp.Expr:
    return sp.sqrt((M.T @ M).trace())


def polyak_lojasiewicz_f3(Sigma: sp.Matrix, Theta: sp.Matrix, s: Any) -> sp.Expr:
    """The constant printed in Appendix F.3, item 3: ``s^2 / (sqrt d |S|_op tr((S^+)^2) tr(S^+))``.

    Parameters
    ----------
    Sigma : Matrix (d, d)
        Exact, positive semi-definite, not zero.
    Theta : Matrix (d, k)
        Not used by the printed formula.
    s : Expr
        Scale of the start ``U(0) = s Theta Theta'``, ``u(0) = s``.

    Returns
    -------
    Expr

    Examples
    --------
    >>> polyak_lojasiewicz_f3(sp.eye(1) / 5, sp.eye(1), 1)
    1/25
    """
    values = _positive_eigenvalues(Sigma)
    inverse, square = sum(1 / v for v in values), sum(1 / v**2 for v in values)
    return sp.sympify(s) ** 2 / (sp.sqrt(Sigma.shape[0]) * sp.Max(*values) * square * inverse)


def scalar_floor(Sigma: sp.Matrix, Theta: sp.Matrix, s: Any) -> sp.Expr:
    """A lower bound of ``u^2`` along the flow:
    ``s^2 |S Theta|_F^2 (2 - s^2 |S|_op) / (2 |S^2|_F)``.

    Parameters
    ----------
    Sigma, Theta, s
        As in `polyak_lojasiewicz`.

    Returns
    -------
    Expr

    Examples
    --------
    >>> scalar_floor(sp.eye(1), sp.eye(1), 1)
    1/2
    """
    s, top = sp.sympify(s), sp.Max(*_positive_eigenvalues(Sigma))
    return s**2 * _frobenius(Sigma @ Theta) ** 2 * (2 - s**2 * top) / (2 * _frobenius(Sigma @ Sigma))


def polyak_lojasiewicz(Sigma: sp.Matrix, Theta: sp.Matrix, s: Any) -> sp.Expr:
    """A constant mu with ``|grad R|^2 >= mu R`` along the flow from ``U(0) = s Theta Theta'``,
    ``u(0) = s > 0``.

    ``mu = lambda_+^3 s^2 |S Theta|_F^2 (2 - s^2 |S|_op) / |S^2|_F`` with the least positive
    eigenvalue ``lambda_+``: twice ``lambda_+^3`` times `scalar_floor`. It replaces item 3 of
    Appendix F.3.

    Parameters
    ----------
    Sigma : Matrix (d, d)
        Exact, positive semi-definite, not zero.
    Theta : Matrix (d, k)
        With ``|Theta Theta'|_F = 1``.
    s : Expr
        Positive, with ``s^2 |S|_op < 2``.

    Returns
    -------
    Expr
        Positive where ``S Theta != 0``.

    Examples
    --------
    >>> polyak_lojasiewicz(sp.eye(1) / 5, sp.eye(1), 1)
    9/625
    """
    return 2 * sp.Min(*_positive_eigenvalues(Sigma)) ** 3 * scalar_floor(Sigma, Theta, s)
