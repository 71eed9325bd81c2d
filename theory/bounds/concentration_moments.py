"""Explicit bounds of Boursier & Boyer, Appendix C.2 and C.4, on moments of the error of the softmax
average: thresholds, tails and Lemma C.7, and our R2 that replaces it.

The notation is that of `theory.bounds.concentration`. Both proofs split an integral over the tail
of ``|err|^2`` or ``|err|^4`` at a threshold ``t_0``, and bound the rest by an incomplete Gamma
integral.
"""

from __future__ import annotations

from typing import Any

from theory.bounds.concentration import C, delta_0
from theory.inputs.arguments import read

__all__ = ["fourth_moment_R2", "lemma_c7", "tail_integral", "threshold_c4", "threshold_c7"]

Scalar = Any  # float, array of floats or sympy.Expr


def threshold_c4(L: Scalar, a2: Scalar, F4: Scalar) -> Scalar:
    """The threshold ``t_0`` of the proof of Lemma C.4.

    Parameters
    ----------
    L, a2 : number or Expr
    F4 : number or Expr
        ``sqrt(E|f(Z)|^4)``.

    Returns
    -------
    number or Expr
        ``16 C / (27 delta_0 L)``, which is ``L F4``.

    Examples
    --------
    >>> round(threshold_c4(7, 0.3, 2), 12)
    14.0
    """
    _, L, a2, F4 = read(L=L, a2=a2, F4=F4)
    return 16 * C(a2, F4) / (27 * delta_0(L, a2) * L)


def threshold_c7(L: Scalar, a2: Scalar, F4: Scalar) -> Scalar:
    """The threshold ``t_0`` of the proof of Lemma C.7.

    Parameters
    ----------
    L, a2, F4 : number or Expr
        As in `threshold_c4`.

    Returns
    -------
    number or Expr
        ``(16/27)^2 C^2 / (delta_0^2 L^3)``, which is ``L F4^2``.

    Examples
    --------
    >>> round(threshold_c7(7, 0.3, 2), 12)
    28.0
    """
    _, L, a2, F4 = read(L=L, a2=a2, F4=F4)
    return 16**2 * C(a2, F4) ** 2 / (27**2 * delta_0(L, a2) ** 2 * L**3)


def tail_integral(x: Scalar, scale: Scalar, p: int) -> Scalar:
    """The integral of ``u^(p-1) exp(-u/scale)`` from x to infinity, for p = 1 and p = 2.

    Parameters
    ----------
    x : number or Expr
        Lower limit, not negative.
    scale : number or Expr
        Positive; ``16 sigma^2 C_f^(2/p)`` in the paper.
    p : {1, 2}

    Returns
    -------
    number or Expr
        ``scale exp(-x/scale)`` or ``(scale^2 + scale x) exp(-x/scale)``.

    Raises
    ------
    ValueError
        If p is neither 1 nor 2.

    Examples
    --------
    >>> tail_integral(0, 3, 1), tail_integral(0, 3, 2)
    (3.0, 9.0)
    """
    if p not in (1, 2):
        raise ValueError(f"p = {p!r} is neither 1 nor 2, the only cases of Lemma C.4")
    m, x, scale = read(x=x, scale=scale)
    return (scale if p == 1 else scale**2 + scale * x) * m.exp(-x / scale)


def lemma_c7(L: Scalar, a2: Scalar, F4: Scalar, sigma2: Scalar, C_f: Scalar, d: Scalar, Z4: Scalar) -> Scalar:
    """The bound of Lemma C.7 on ``E|err|^4``.

    Parameters
    ----------
    L, a2, F4 : number or Expr
        As in `threshold_c4`.
    sigma2 : number or Expr
        ``sigma^2``.
    C_f : number or Expr
        ``sup |f(z)| / |z|``.
    d : number or Expr
        Dimension of a token.
    Z4 : number or Expr
        ``E|Z|^4``.

    Returns
    -------
    number or Expr

    Examples
    --------
    Rademacher tokens, ``f(z) = z``, ``U = 0``; the left side is 1 at L = 1:

    >>> round(lemma_c7(1, 0, 1, 1, 1, 1, 1), 1)
    32425.8
    """
    m, L, a2, F4, sigma2, C_f, d, Z4 = read(L=L, a2=a2, F4=F4, sigma2=sigma2, C_f=C_f, d=d, Z4=Z4)
    root = m.sqrt(L / 8)
    first = 2 * C(a2, F4) * F4 / m.sqrt(L)
    moment = 1 + m.sqrt(L / 2) / (32 * sigma2) * m.sqrt(Z4)
    rate = (root - m.exp(2 * a2)) * F4 / (16 * sigma2 * C_f**2)
    return first + 16**3 * sigma2**2 * L * C_f**4 * m.exp(2 * d) * moment * m.exp(-rate)


def fourth_moment_R2(L: Scalar, a2: Scalar, F8: Scalar, c: Scalar = 8000) -> Scalar:
    """Our bound on ``E|err|^4`` at a fixed query, for every ``L >= 1`` and every f with an eighth
    moment.

    Parameters
    ----------
    L, a2 : number or Expr
    F8 : number or Expr
        ``sqrt(E|f(Z)|^8)``.
    c : number or Expr
        8000.

    Returns
    -------
    number or Expr
        ``8000 e^{16 a2} F8 / L^2``.

    Examples
    --------
    >>> fourth_moment_R2(20, 0, 1)
    20.0
    """
    m, L, a2, F8, c = read(L=L, a2=a2, F8=F8, c=c)
    return c * m.exp(16 * a2) * F8 / L**2
