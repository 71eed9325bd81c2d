"""The exact error of softmax attention on Gaussian tokens at a fixed query, for every prompt length
(our R4 and Theorem A).

Tokens are ``N(0, Gamma)``, the query is ``z``, ``h = Gamma U z``; scores have the variance
``s = (Uz)'Gamma(Uz)``. The weights ``p`` of L scores enter only through ``P2 = E sum p_i^2``,
``P3 = E sum p_i^3`` and ``Q = E (sum p_i^2)^2``, which depend on (s, L) alone. ``T_L`` is the
output, ``T = V h`` its limit, ``C_L`` the softmax covariance of the tokens: the gradient in U of
the component with row v of V is ``C_L v z'``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from theory.inputs.arguments import read
from theory.inputs.arrays import is_symbolic, read_arrays, read_in_kind

__all__ = [
    "P2_slope",
    "covariance_of_mean_token",
    "gaussian_bias",
    "gaussian_second_moment",
    "limit_of_grad_U_error",
    "limit_of_output_error",
    "softmax_covariance_bias",
    "theorem_A",
]

Scalar = Any  # float, array of floats or sympy.Expr
Matrix = Any  # ndarray or sympy.Matrix


def _outer(h: Matrix) -> Matrix:
    return h * h.T if isinstance(h, sp.MatrixBase) else np.outer(h, h)


def gaussian_bias(P2: Scalar, Vh: Matrix) -> Matrix:
    """The mean error ``E T_L - T = -P2 V h`` of the output, from the limit ``T = V h``, shape
    (d_out,): finite prompts shrink the output.
    """
    _, P2 = read(P2=P2)
    return -P2 * (Vh if is_symbolic(Vh) else read_arrays(Vh=(Vh, "d_out"))[0])


def covariance_of_mean_token(P2: Scalar, P3: Scalar, Q: Scalar, Gamma: Matrix, h: Matrix) -> Matrix:
    """``E (zbar - h)(zbar - h)' = P2 Gamma + (P2 - 6 P3 + 6 Q) h h'`` for the softmax mean
    ``zbar = sum p_k z_k`` of the tokens, the bias included.
    """
    _, P2, P3, Q = read(P2=P2, P3=P3, Q=Q)
    Gamma, h = read_in_kind(Gamma=(Gamma, "d d"), h=(h, "d"))
    return P2 * Gamma + (P2 - 6 * P3 + 6 * Q) * _outer(h)


def gaussian_second_moment(P2: Scalar, P3: Scalar, Q: Scalar, t: Scalar, q: Scalar) -> Scalar:
    """The mean squared error ``E|T_L - T|^2 = P2 t + (P2 - 6 P3 + 6 Q) q`` with
    ``t = tr(V Gamma V')`` and ``q = |V h|^2``.
    """
    _, P2, P3, Q, t, q = read(P2=P2, P3=P3, Q=Q, t=t, q=q)
    return P2 * t + (P2 - 6 * P3 + 6 * Q) * q


def softmax_covariance_bias(P2: Scalar, P3: Scalar, Q: Scalar, Gamma: Matrix, h: Matrix) -> Matrix:
    """``E C_L - Gamma = -P2 Gamma - (2 P2 - 8 P3 + 6 Q) h h'`` for the softmax covariance of the
    tokens; times ``v z'`` it is the bias of the gradient in U.
    """
    _, P2, P3, Q = read(P2=P2, P3=P3, Q=Q)
    Gamma, h = read_in_kind(Gamma=(Gamma, "d d"), h=(h, "d"))
    return -P2 * Gamma - (2 * P2 - 8 * P3 + 6 * Q) * _outer(h)


def P2_slope(P2: Scalar, P3: Scalar, Q: Scalar) -> Scalar:
    """``dP2/ds = P2 - 4 P3 + 3 Q``; as ``P2^2 <= Q <= P3``, at most ``P2 - P2^2``: Theorem A."""
    _, P2, P3, Q = read(P2=P2, P3=P3, Q=Q)
    return P2 - 4 * P3 + 3 * Q


def theorem_A(s: Scalar, L: Scalar, t: Scalar, q: Scalar) -> Scalar:
    """Theorem A: ``E|T_L - T|^2 <= e^s/(e^s + L - 1) (t + q)`` for every L and every query.

    Parameters
    ----------
    s : float, array or Expr
        Variance of the scores.
    L : float, array or Expr
        Prompt length.
    t, q : float, array or Expr
        ``tr(V Gamma V')`` and ``|V Gamma U z|^2``.

    Returns
    -------
    float, array or Expr
        An equality for L = 1, and asymptotically sharp as L grows with s fixed. With t + q = 1 it
        is the bound on P2.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, L is below 1, or another one is negative.

    Examples
    --------
    >>> theorem_A(0, 4, 1, 1), theorem_A(1e6, 1, 1, 0)
    (0.5, 1.0)
    """
    m, s, L, t, q = read(s=s, L=L, t=t, q=q)
    return (t + q) / (1 + (L - 1) * m.exp(-s))


def limit_of_output_error(s: Scalar, t: Scalar, q: Scalar) -> Scalar:
    """The limit ``e^s (t + q)`` of ``L E|T_L - T|^2`` at a fixed query as L grows, in the letters
    of `theorem_A`.
    """
    m, s, t, q = read(s=s, t=t, q=q)
    return m.exp(s) * (t + q)


def limit_of_grad_U_error(s: Scalar, v: Matrix, Gamma: Matrix, h: Matrix, z2: Scalar) -> Scalar:
    """The limit of ``L E|grad_U (T_L - T)_v|^2`` at a fixed query as L grows, for the component of
    the output with row v of V, where ``z2 = |z|^2``:

        |z|^2 e^s [((v.h)^2 + v'Gamma v)(|h|^2 + tr Gamma) + |Gamma v|^2 + 2 (v.h)(h'Gamma v)]
    """
    m, s, z2 = read(s=s, z2=z2)
    v, Gamma, h = read_in_kind(v=(v, "d"), Gamma=(Gamma, "d d"), h=(h, "d"))
    dot = (lambda x, y: x.dot(y)) if isinstance(h, sp.MatrixBase) else (lambda x, y: float(x @ y))
    trace = Gamma.trace() if isinstance(Gamma, sp.MatrixBase) else float(np.trace(Gamma))
    Gv = Gamma @ v
    bracket = (dot(v, h) ** 2 + dot(v, Gv)) * (dot(h, h) + trace) + dot(Gv, Gv) + 2 * dot(v, h) * dot(h, Gv)
    return z2 * m.exp(s) * bracket
