r"""Gaussian tokens, exactly: our R4 (a)-(e), Theorem A and the limits at a fixed query.

Common notation: tokens :math:`N(0,\Gamma)`, :math:`a=Uz`, :math:`h=\Gamma a`, :math:`s=a^\top\Gamma a`, :math:`t=\mathrm{tr}(V\Gamma V^\top)`,
:math:`q=\|Vh\|^2`; P2, P3, Q are the moments :math:`\mathbb{E}\sum p_k^2`, :math:`\mathbb{E}\sum p_k^3`, :math:`\mathbb{E}(\sum p_k^2)^2` of softmax weights.
"""

from __future__ import annotations

from typing import Any

__all__ = ["covariance_bias", "gaussian_second_moment", "limit_second_moment", "mean_square_direction", "slope_of_P2", "theorem_A"]


def mean_square_direction(P2: Any, P3: Any, Q: Any) -> Any:
    r"""Coefficient of :math:`hh^\top` in R4 (b), and of q in (c): P2 - 6 P3 + 6 Q.

    Examples
    --------
    >>> mean_square_direction(1, 1, 1)                   # one token
    1
    """
    return P2 - 6 * P3 + 6 * Q


def gaussian_second_moment(P2: Any, P3: Any, Q: Any, t: Any, q: Any) -> Any:
    r"""R4 (c): :math:`\mathbb{E}\|T_L-T\|^2 = P_2 t + (P_2-6P_3+6Q)\,q`, for every L.

    Examples
    --------
    >>> gaussian_second_moment(1, 1, 1, 2, 3)            # one token: E|Vz - Vh|^2 = t + q
    5
    """
    return P2 * t + mean_square_direction(P2, P3, Q) * q


def covariance_bias(P2: Any, P3: Any, Q: Any) -> tuple[Any, Any]:
    r"""R4 (d): the coefficients of :math:`\Gamma` and :math:`hh^\top` in :math:`\mathbb{E}C_L-\Gamma`.

    Examples
    --------
    >>> covariance_bias(1, 1, 1)                         # one token has no spread: C_L = 0
    (-1, 0)
    """
    return -P2, -(2 * P2 - 8 * P3 + 6 * Q)


def slope_of_P2(P2: Any, P3: Any, Q: Any) -> Any:
    r"""R4 (e): :math:`dP_2/ds = P_2-4P_3+3Q`.

    Examples
    --------
    >>> slope_of_P2(1, 1, 1)
    0
    """
    return P2 - 4 * P3 + 3 * Q


def theorem_A(s: Any, L: Any, t: Any, q: Any) -> Any:
    r"""Theorem A: :math:`\mathbb{E}\|T_L-T\|^2 \le \frac{e^s}{e^s+L-1}(t+q)` for every L and every query.

    Examples
    --------
    >>> theorem_A(0, 10, 1, 0)
    0.1
    """
    if hasattr(s, "free_symbols"):
        from sympy import exp
    else:
        from numpy import exp
    value = (t + q) / (1 + (L - 1) * exp(-s))  # e^s itself would overflow
    return value if getattr(value, "ndim", 0) or hasattr(value, "free_symbols") else float(value)


def limit_second_moment(s: Any, t: Any, q: Any) -> Any:
    r"""Limit of :math:`L\,\mathbb{E}\|T_L-T\|^2` at a fixed query, :math:`e^s(t+q)`.

    Examples
    --------
    >>> limit_second_moment(0, 2, 1)
    3.0
    """
    if hasattr(s, "free_symbols"):
        from sympy import exp
    else:
        from numpy import exp
    value = exp(s) * (t + q)
    return value if getattr(value, "ndim", 0) or hasattr(value, "free_symbols") else float(value)
