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
    """The constant ``s^2 / (sqrt d |S|_op tr((S^+)^2) tr(S^+))`` printed in Appendix F.3, item 3,
    for the scale s of the start ``U(0) = s Theta Theta'``, ``u(0) = s``; the formula does not use
    Theta.
    """
    values = _positive_eigenvalues(Sigma)
    inverse, square = sum(1 / v for v in values), sum(1 / v**2 for v in values)
    return sp.sympify(s) ** 2 / (sp.sqrt(Sigma.shape[0]) * sp.Max(*values) * square * inverse)


def scalar_floor(Sigma: sp.Matrix, Theta: sp.Matrix, s: Any) -> sp.Expr:
    """``u^2 >= s^2 |S Theta|_F^2 (2 - s^2 |S|_op) / (2 |S^2|_F)`` along the flow."""
    s, top = sp.sympify(s), sp.Max(*_positive_eigenvalues(Sigma))
    return s**2 * _frobenius(Sigma @ Theta) ** 2 * (2 - s**2 * top) / (2 * _frobenius(Sigma @ Sigma))


def polyak_lojasiewicz(Sigma: sp.Matrix, Theta: sp.Matrix, s: Any) -> sp.Expr:
    """A constant mu with ``|grad R|^2 >= mu R`` along the flow from ``U(0) = s Theta Theta'``,
    ``u(0) = s > 0``, where ``|Theta Theta'|_F = 1`` and ``s^2 |S|_op < 2``; positive where
    ``S Theta != 0``. It replaces item 3 of Appendix F.3:
    ``mu = lambda_+^3 s^2 |S Theta|_F^2 (2 - s^2 |S|_op) / |S^2|_F`` with the least positive
    eigenvalue ``lambda_+``, twice ``lambda_+^3`` times `scalar_floor`.
    """
    return 2 * sp.Min(*_positive_eigenvalues(Sigma)) ** 3 * scalar_floor(Sigma, Theta, s)
