"""Explicit constants for the statements of Boursier & Boyer on averages over the query, for every
L >= 2 and sigma >= 1: Propositions 3.1 and 3.4, Lemmas C.6 and C.9, equations (16) and (18). Each
is a bound of `theory.bounds.query_average` written in the form of the paper; at one token and
sigma = 1 that of Lemma C.6, or C.9 with p = 2, is ``K (A + B |U|^{2p})``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from theory.bounds.query_average import h, lemma_c6_average, lemma_c9_average, ln_2, weighted_query_moment
from theory.inputs.arguments import read

__all__ = [
    "constants_16",
    "constants_18",
    "paper_constants_C6",
    "paper_constants_C9",
    "paper_constants_U",
    "paper_constants_V",
]

Scalar = Any  # float, array of floats or sympy.Expr


def paper_constants_V(U_norm: Scalar, V_norm: Scalar, d: Scalar) -> tuple[Scalar, Scalar]:
    """Constants (c1, c2) with which Proposition 3.1 holds, even with ``sigma^4`` for ``sigma^6``:
    ``c1 = 2^{d/2} |V|^2 ((300 (1 + h) + 20 (d + 1) |U|^2)/ln 2 + 8)``,
    ``c2 = min(1, 1/(16 |U|^2))``. For the gradient in V put ``V_norm^2 = d_out``.
    """
    m, U_norm, V_norm, d = read(U_norm=U_norm, V_norm=V_norm, d=d)
    ln2 = ln_2(d)
    c1 = weighted_query_moment(d, 0) * V_norm**2 * ((300 * (1 + h(d)) + 20 * (d + 1) * U_norm**2) / ln2 + 8)
    return c1, 1 / m.maximum(1, 16 * U_norm**2)


def paper_constants_U(U_norm: Scalar, V_norm: Scalar, d: Scalar) -> tuple[Scalar, Scalar]:
    """Constants (c1, c2) with which Proposition 3.4, gradient in U, holds, even with ``sigma^8``
    for ``sigma^12``, where ``c2 = min(1, 1/(32 |U|^2))`` and

        c1 = 2^{d/2} |V|^2 ((61000 (d+1) (12+4h)^2 + 460 (d+3)^3 |U|^4)/ln^2 2 + 78 (d+1)).
    """
    m, U_norm, V_norm, d = read(U_norm=U_norm, V_norm=V_norm, d=d)
    ln2 = ln_2(d)
    bracket = 61000 * (d + 1) * (12 + 4 * h(d)) ** 2 + 460 * (d + 3) ** 3 * U_norm**4
    c1 = weighted_query_moment(d, 0) * V_norm**2 * (bracket / ln2**2 + 78 * (d + 1))
    return c1, 1 / m.maximum(1, 32 * U_norm**2)


def _letters(bound: Callable[..., Scalar], d: Scalar, A: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    one = sp.S.One if isinstance(d, sp.Basic) else 1.0
    K = bound(one, one, 0 * one) / A
    return K, A, bound(one, one, one) / K - A


def _letters_c6(C_f: Scalar, d: Scalar, p: int, g4: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    _, d = read(d=d)
    return _letters(lambda L, s, u: lemma_c6_average(L, s, u, C_f, d, p, g4), d, 75 * (2 * p - 1 + h(d)) ** p)


def _letters_c9(C_f: Scalar, d: Scalar, g8: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    _, d = read(d=d)
    return _letters(lambda L, s, u: lemma_c9_average(L, s, u, C_f, d, g8), d, 8000 * (3 + h(d)) ** 2)


def paper_constants_C6(
    U_norm: Scalar, C_f: Scalar, d: Scalar, p: int, g4: Scalar = 1
) -> tuple[Scalar, Scalar]:
    """Constants (c1, c2) with which Lemma C.6 holds, even with ``sigma^{4p}`` for ``sigma^{6p}``:
    ``c1 = K ((A + B |U|^{2p})/ln(2)^p + 2p)``, ``c2 = min(1, 1/(32 |U|^2))``.
    """
    m, U_norm, d = read(U_norm=U_norm, d=d)
    return _c1_of_c6(_letters_c6(C_f, d, p, g4), U_norm, d, p), 1 / m.maximum(1, 32 * U_norm**2)


def _c1_of_c6(letters: tuple[Scalar, Scalar, Scalar], U_norm: Scalar, d: Scalar, p: int) -> Scalar:
    K, A, B = letters
    return K * ((A + B * U_norm ** (2 * p)) / ln_2(d) ** p + 2 * p)


def paper_constants_C9(U_norm: Scalar, C_f: Scalar, d: Scalar, g8: Scalar = 1) -> tuple[Scalar, Scalar]:
    """Constants (c1, c2) with which Lemma C.9 holds, even with ``sigma^8`` for ``sigma^12``:
    ``c1 = K ((A + B |U|^4)/ln(2)^2 + 16)``, ``c2 = 2 min(1, 1/(128 |U|^2))``.
    """
    K, A, B = _letters_c9(C_f, d, g8)
    m, U_norm, d = read(U_norm=U_norm, d=d)
    ln2 = ln_2(d)
    return K * ((A + B * U_norm**4) / ln2**2 + 16), 2 / m.maximum(1, 128 * U_norm**2)


def constants_16(U_norm: Scalar, C_f: Scalar, d: Scalar, p: int, g4: Scalar = 1) -> tuple[Scalar, Scalar]:
    """Constants (c3, c4) with which eq. (16) holds, with ``c3 sigma^{2p}`` for c3 and no first
    term: ``K ((A + B)/ln 2 + 2p)``, enough for ``kappa <= 1/32``, and the c1 of
    `paper_constants_C6`.
    """
    _, U_norm, d = read(U_norm=U_norm, d=d)
    letters = K, A, B = _letters_c6(C_f, d, p, g4)
    return K * ((A + B) / ln_2(d) + 2 * p), _c1_of_c6(letters, U_norm, d, p)


def constants_18(
    U_norm: Scalar, C_f: Scalar, d: Scalar, g8: Scalar = 1
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Constants (c1, c2, c3, c4) with which eq. (18) holds as printed, the first three free of U:
    ``e K (A + B + 16), 1, K (A + B + 16)``, enough for ``kappa <= 1/128`` (the first term where
    ``L <= sigma^4``, the second beyond), and the c1 of `paper_constants_C9`.
    """
    K, A, B = _letters_c9(C_f, d, g8)
    c3 = K * (A + B + 16)
    return (
        (sp.E if isinstance(d, sp.Basic) else float(np.e)) * c3,
        1,
        c3,
        paper_constants_C9(U_norm, C_f, d, g8)[0],
    )
