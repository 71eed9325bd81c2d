"""Explicit constants for the gradient in U of softmax attention (Appendix C.7), from our bounds R1,
R2 and R3.

The gradient is a difference of two averages; each tends to its limit at the rate
``c_1 sigma^12 ln(L)^2 / L^{c_2/sigma^2}`` for every ``L >= 2``, with constants that depend on
``d``, ``|U|`` and ``|v|`` only. The query is cut at ``|z| = r``: below, the bounds at a fixed query
serve; beyond, the convex hull and the tail of the query.
"""

from __future__ import annotations

import math

from theory.bounds.sub_gaussian import M_R3, maximum_R3

__all__ = ["first_term_constants", "product_constants"]


def _growth(d: float) -> float:
    """kappa with ``E max |z_k|^4 <= 16 sigma^4 kappa^2 ln(L)^2`` for L >= 2, by `maximum_R3`."""
    return 1 + (d * math.log(2) / 2 + 1) / math.log(2)


def first_term_constants(d: int, U_norm: float, v_norm: float) -> tuple[float, float]:
    """Constants for ``E |sum p_k (v.z_k) z_k z' - E[...]|^2``, the first term of the gradient.

    At ``r^2 = ln L / (8 sigma^2 |U|^2)`` R1 gives ``75 e^{4 sigma^2 |U|^2 r^2} F4 E|z|^2 / L``.
    Beyond r the tail of the query is ``2^{d/2} L^{-1/(32 sigma^2 |U|^2)}``, of which the
    Cauchy-Schwarz inequality leaves the root.

    Parameters
    ----------
    d : int
    U_norm, v_norm : float
        Norms of U and of the row of V.

    Returns
    -------
    (c_1, c_2) : floats
        ``E|...|^2 <= c_1 sigma^12 ln(L)^2 / L^{c_2/sigma^2}`` for L >= 2 and sigma >= 1.

    Examples
    --------
    >>> first_term_constants(1, 0.25, 1)[1]
    0.25
    """
    ln2 = math.log(2)
    rate = min(0.5, 1 / (64 * U_norm**2)) if U_norm else 0.5
    F4 = math.sqrt(maximum_R3(1, d, 8))  # sqrt(E|z|^8) at sigma = 1
    near = 75 * F4 * maximum_R3(1, d, 2) / ln2**2
    root = 2 ** (d / 4)  # sqrt of the mass of the tail
    far = 2 * math.sqrt(maximum_R3(1, d, 4)) * 16 * _growth(d) ** 2 + 2 * math.sqrt(M_R3(8, 4, U_norm, d)) / ln2**2
    return v_norm**2 * (near + root * far), rate


def product_constants(d: int, U_norm: float, v_norm: float) -> tuple[float, float]:
    """Constants for ``E |X^ Y^ - X Y|_F^2``, the second term of the gradient, through equation (21)
    and R2.

    At ``r^2 = ln L / (16 sigma^2 |U|^2)`` R2 gives
    ``8000 e^{16 sigma^2 |U|^2 r^2} sqrt(E|f|^8)/L^2``; beyond r,
    ``|err|^4 <= 8 max|f|^4 + 8 |R/S|^4``.

    Parameters
    ----------
    d : int
    U_norm, v_norm : float

    Returns
    -------
    (c_1, c_2) : floats
        ``E|...|_F^2 <= c_1 sigma^12 ln(L)^2 / L^{c_2/sigma^2}`` for L >= 2 and sigma >= 1.

    Examples
    --------
    >>> product_constants(1, 0.125, 1)[1]
    0.25
    """
    ln2 = math.log(2)
    rate = min(0.5, 1 / (256 * U_norm**2)) if U_norm else 0.5
    root8 = math.sqrt(maximum_R3(1, d, 8))
    hull = 8 * 16 * _growth(d) ** 2
    tail = 2 ** (d / 4)
    x = 8000 * root8 / ln2**2 + tail * (tail * hull + 8 * math.sqrt(M_R3(8, 0, U_norm, d)) / ln2**2)
    y = 8000 * root8 * maximum_R3(1, d, 4) / ln2**2 + tail * (root8 * hull + 8 * math.sqrt(M_R3(8, 8, U_norm, d)) / ln2**2)
    product = math.sqrt(8 * (M_R3(4, 0, U_norm, d) / ln2**2 + x) * y) + math.sqrt(M_R3(4, 4, U_norm, d) * x) / ln2
    return 2 * v_norm**2 * product, rate
