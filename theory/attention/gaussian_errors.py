"""The exact error of softmax attention on Gaussian tokens at a fixed query, for every prompt length
(our R4 and Theorem A).

Tokens are ``N(0, Gamma)``, the query is ``z``, ``h = Gamma U z``, and ``s = (Uz)'Gamma(Uz)`` is the
variance of a score. The weights ``p`` of L scores enter only through ``P2 = E sum p_i^2``, ``P3 = E
sum p_i^3`` and ``Q = E (sum p_i^2)^2``, which depend on (s, L) alone. ``T_L`` is the output, ``T =
V h`` its limit, and ``C_L`` the softmax covariance of the tokens: the gradient in U of the
component with row v of V is ``C_L v z'``.
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
    """The outer product of a vector with itself."""
    return h * h.T if isinstance(h, sp.MatrixBase) else np.outer(h, h)


def gaussian_bias(P2: Scalar, Vh: Matrix) -> Matrix:
    """Mean error of the output, ``E T_L - T``.

    Parameters
    ----------
    P2 : float or Expr
    Vh : array (d_out,) or Matrix (d_out, 1)
        The limit ``T = V Gamma U z`` itself.

    Returns
    -------
    array (d_out,) or Matrix (d_out, 1)
        ``-P2 V h``: finite prompts shrink the output.

    Raises
    ------
    TypeError, ValueError
        If a moment is outside [0, 1], an argument is not real and finite, or shapes do not fit.

    Examples
    --------
    >>> gaussian_bias(0.5, np.array([2.0, 0.0])).tolist()
    [-1.0, -0.0]
    """
    _, P2 = read(P2=P2)
    return -P2 * (Vh if is_symbolic(Vh) else read_arrays(Vh=(Vh, "d_out"))[0])


def covariance_of_mean_token(P2: Scalar, P3: Scalar, Q: Scalar, Gamma: Matrix, h: Matrix) -> Matrix:
    """``E (zbar - h)(zbar - h)'`` for the softmax mean ``zbar = sum p_k z_k`` of the tokens.

    Parameters
    ----------
    P2, P3, Q : float or Expr
    Gamma : array or Matrix (d, d)
    h : array (d,) or Matrix (d, 1)

    Returns
    -------
    array or Matrix (d, d)
        ``P2 Gamma + (P2 - 6 P3 + 6 Q) h h'``; the bias is included.

    Raises
    ------
    TypeError, ValueError
        If a moment is outside [0, 1], an argument is not real and finite, or shapes do not fit.

    Examples
    --------
    With one token ``zbar = z_1``, so that this is ``Gamma + h h'``:

    >>> covariance_of_mean_token(1, 1, 1, np.eye(1), np.array([2.0])).tolist()
    [[5.0]]
    """
    _, P2, P3, Q = read(P2=P2, P3=P3, Q=Q)
    Gamma, h = read_in_kind(Gamma=(Gamma, "d d"), h=(h, "d"))
    return P2 * Gamma + (P2 - 6 * P3 + 6 * Q) * _outer(h)


def gaussian_second_moment(P2: Scalar, P3: Scalar, Q: Scalar, t: Scalar, q: Scalar) -> Scalar:
    """The mean squared error of the output, ``E|T_L - T|^2``.

    Parameters
    ----------
    P2, P3, Q : float, array or Expr
    t : float, array or Expr
        ``tr(V Gamma V')``.
    q : float, array or Expr
        ``|V h|^2``.

    Returns
    -------
    float, array or Expr
        ``P2 t + (P2 - 6 P3 + 6 Q) q``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, a moment is outside [0, 1], or t or q is negative.

    Examples
    --------
    >>> gaussian_second_moment(0.25, 0.0625, 0.0625, 8, 0)
    2.0
    """
    _, P2, P3, Q, t, q = read(P2=P2, P3=P3, Q=Q, t=t, q=q)
    return P2 * t + (P2 - 6 * P3 + 6 * Q) * q


def softmax_covariance_bias(P2: Scalar, P3: Scalar, Q: Scalar, Gamma: Matrix, h: Matrix) -> Matrix:
    """``E C_L - Gamma`` for the softmax covariance ``C_L`` of the tokens; times ``v z'`` it is the
    bias of the gradient in U.

    Parameters
    ----------
    P2, P3, Q : float or Expr
    Gamma : array or Matrix (d, d)
    h : array (d,) or Matrix (d, 1)

    Returns
    -------
    array or Matrix (d, d)
        ``-P2 Gamma - (2 P2 - 8 P3 + 6 Q) h h'``.

    Raises
    ------
    TypeError, ValueError
        If a moment is outside [0, 1], an argument is not real and finite, or shapes do not fit.

    Examples
    --------
    One token has no spread:

    >>> softmax_covariance_bias(1, 1, 1, np.eye(1), np.array([2.0])).tolist()
    [[-1.0]]
    """
    _, P2, P3, Q = read(P2=P2, P3=P3, Q=Q)
    Gamma, h = read_in_kind(Gamma=(Gamma, "d d"), h=(h, "d"))
    return -P2 * Gamma - (2 * P2 - 8 * P3 + 6 * Q) * _outer(h)


def P2_slope(P2: Scalar, P3: Scalar, Q: Scalar) -> Scalar:
    """``dP2/ds``.

    Parameters
    ----------
    P2, P3, Q : float, array or Expr

    Returns
    -------
    float, array or Expr
        ``P2 - 4 P3 + 3 Q``. With ``P2^2 <= Q <= P3`` it is at most ``P2 - P2^2``, whence Theorem A.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real or outside [0, 1].

    Examples
    --------
    Equal weights 1/2 (s = 0, L = 2):

    >>> P2_slope(0.5, 0.25, 0.25)
    0.25
    """
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
        As in `gaussian_second_moment`.

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
    """The limit of ``L E|T_L - T|^2`` at a fixed query as L grows.

    Parameters
    ----------
    s, t, q : float, array or Expr
        As in `theorem_A`.

    Returns
    -------
    float, array or Expr
        ``e^s (t + q)``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real or negative.

    Examples
    --------
    >>> limit_of_output_error(0, 2, 1)
    3.0
    """
    m, s, t, q = read(s=s, t=t, q=q)
    return m.exp(s) * (t + q)


def limit_of_grad_U_error(s: Scalar, v: Matrix, Gamma: Matrix, h: Matrix, z2: Scalar) -> Scalar:
    """The limit of ``L E|grad_U (T_L - T)_v|^2`` at a fixed query as L grows, for one component v
    of the output.

    Parameters
    ----------
    s : float or Expr
    v : array (d,) or Matrix (d, 1)
        The row of V, as a column.
    Gamma : array or Matrix (d, d)
    h : array (d,) or Matrix (d, 1)
    z2 : float or Expr
        ``|z|^2``.

    Returns
    -------
    float or Expr
        ``|z|^2 e^s [((v.h)^2 + v'Gamma v)(|h|^2 + tr Gamma) + |Gamma v|^2 + 2 (v.h)(h'Gamma v)]``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real and finite, shapes do not fit, or s or z2 is negative.

    Examples
    --------
    Without scores it is the variance of a sample covariance, ``E|(z z' - I) v|^2 = d + 1``:

    >>> limit_of_grad_U_error(0, np.array([1.0, 0.0]), np.eye(2), np.zeros(2), 1.0)
    3.0
    """
    m, s, z2 = read(s=s, z2=z2)
    v, Gamma, h = read_in_kind(v=(v, "d"), Gamma=(Gamma, "d d"), h=(h, "d"))
    dot = (lambda x, y: x.dot(y)) if isinstance(h, sp.MatrixBase) else (lambda x, y: float(x @ y))
    trace = Gamma.trace() if isinstance(Gamma, sp.MatrixBase) else float(np.trace(Gamma))
    Gv = Gamma @ v
    bracket = (dot(v, h) ** 2 + dot(v, Gv)) * (dot(h, h) + trace) + dot(Gv, Gv) + 2 * dot(v, h) * dot(h, Gv)
    return z2 * m.exp(s) * bracket
