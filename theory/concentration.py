r"""The explicit bounds of Appendices C.1 and C.2 of Boursier & Boyer, and our second moment R1.

Symbols: ``a2`` is :math:`\sigma^2\|Uz\|^2`, ``K`` (or ``F4``) is :math:`\sqrt{\mathbb{E}\|f(Z)\|^4}`. Every function takes SymPy expressions
or numbers and answers in kind.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

__all__ = [
    "C",
    "alpha_minus",
    "alpha_plus",
    "beta",
    "delta_0",
    "delta_min",
    "exponent_16",
    "lemma_c4",
    "second_moment_R1",
]


def _functions(*values: Any) -> ModuleType:
    """SymPy's exp, log and sqrt as soon as one value is symbolic, those of `math` otherwise."""
    if any(hasattr(v, "free_symbols") for v in values):
        import sympy

        return sympy
    return math


def alpha_minus(L: Any, a2: Any, delta: Any) -> Any:
    r"""Relative deviation of S_L downwards, :math:`e^{a_2}\sqrt{2\ln(1/\delta)/L}` (BB, proof of Lemma C.1).

    Examples
    --------
    >>> alpha_minus(8, 0.0, math.exp(-1.0))
    0.5
    """
    f = _functions(L, a2, delta)
    return f.exp(a2) * f.sqrt(2 * f.log(1 / delta) / L)


def alpha_plus(L: Any, a2: Any, delta: Any, c: Any = 3) -> Any:
    r"""Relative deviation of S_L upwards, :math:`e^{a_2}\sqrt{c/(\delta L)}` with c = 3 (BB, proof of Lemma C.1).

    Examples
    --------
    >>> alpha_plus(12, 0.0, 0.25)
    1.0
    """
    f = _functions(L, a2, delta, c)
    return f.exp(a2) * f.sqrt(c / (delta * L))


def beta(L: Any, a2: Any, delta: Any, K: Any, c: Any = 3) -> Any:
    r"""Deviation of R_L / L, :math:`e^{2a_2}\sqrt{K}\sqrt{c/(\delta L)}`: c = 3 in the proof of Lemma C.1 (BB), c = 1 in its statement.

    Examples
    --------
    >>> beta(12, 0.0, 0.25, 4.0)
    2.0
    """
    f = _functions(L, a2, delta, K, c)
    return f.exp(2 * a2) * f.sqrt(K) * f.sqrt(c / (delta * L))


def delta_min(L: Any, a2: Any) -> Any:
    r"""Least delta of the proof of Lemma C.1 (BB), :math:`\exp(-\tfrac{L}{8}e^{-2a_2})`. The lemma prints it without :math:`\sigma^2`.

    Examples
    --------
    >>> delta_min(8, 0.0) == math.exp(-1.0)
    True
    """
    f = _functions(L, a2)
    return f.exp(-(L * f.exp(-2 * a2)) / 8)


def delta_0(L: Any, a2: Any, c: Any = 64) -> Any:
    r"""Least delta of Corollary C.3 (BB), :math:`c\,e^{4a_2}/L^2` with c = 64.

    Examples
    --------
    >>> delta_0(16, 0.0)
    0.25
    """
    f = _functions(L, a2, c)
    return c * f.exp(4 * a2) / L**2


def C(a2: Any, K: Any, c: Any = 108) -> Any:
    r"""The constant of Corollary C.3 and Lemma C.4 (BB), :math:`108\,e^{4a_2}K`.

    Examples
    --------
    >>> C(0.0, 2)
    216.0
    """
    return c * _functions(a2, K, c).exp(4 * a2) * K


def lemma_c4(L: Any, a2: Any, F4: Any, sigma2: Any, C_f: Any, d: Any, *, p: int = 1, Z8: Any = None, power: int = 1) -> Any:
    r"""Lemma C.4 of Boursier & Boyer: the bound of :math:`\mathbb{E}\|R_L/S_L-R/S\|^2` at a fixed query.

    Parameters
    ----------
    L : scalar
        Prompt length. As printed the lemma is false at L = 1, where its first term vanishes.
    a2 : scalar
        :math:`\sigma^2\|Uz\|^2`.
    F4 : scalar
        :math:`\sqrt{\mathbb{E}\|f(Z)\|^4}`.
    sigma2 : scalar
        Sub-Gaussian variance proxy of the tokens.
    C_f : scalar
        :math:`\sup_z\|f(z)\|/\|z\|^p`.
    d : scalar
        Dimension of the tokens.
    p : {1, 2}
        Growth of f.
    Z8 : scalar
        :math:`\mathbb{E}\|Z\|^8`, needed for p = 2 only.
    power : int
        Power of C_f in the second term: printed 1, by homogeneity it is 2.

    Returns
    -------
    scalar

    Raises
    ------
    ValueError
        If p is neither 1 nor 2, or Z8 is missing.

    Examples
    --------
    >>> lemma_c4(10**6, 0.0, 1.0, 1.0, 1.0, 1) < 0.003
    True
    """
    if p not in (1, 2):
        raise ValueError(f"p = {p!r}: Lemma C.4 is about |f(z)| <= C_f |z|^p with p = 1 or p = 2; choose one of them")
    if p == 2 and Z8 is None:
        raise ValueError("for p = 2 the second term of Lemma C.4 contains E|Z|^8; pass Z8=")
    f = _functions(L, a2, F4, sigma2, C_f, d, Z8)
    first = 2 * C(a2, F4) * f.log(L) / L
    moment = 1 + (f.sqrt(L) / (22 * sigma2) * f.sqrt(f.sqrt(Z8)) if p == 2 else 0)
    root = (lambda x: x) if p == 1 else f.sqrt
    rate = (root(L) / root(2) - f.exp(2 * a2 / p)) * root(F4) / (16 * sigma2 * (C_f**2 if p == 1 else C_f))
    return first + 2 * 16**p * sigma2**p * L * p * C_f**power * f.exp(2 * d) * moment * f.exp(-rate)


def exponent_16(sigma: Any, U_norm: Any) -> Any:
    r"""The exponent of 1/L in (16) of Boursier & Boyer, :math:`\min(1/3,\,1/(192\,\sigma^2\|U\|^2))`, up to logarithms.

    Examples
    --------
    >>> exponent_16(1.0, 0.5) == 1 / 48, exponent_16(1.0, 0.0) == 1 / 3
    (True, True)
    """
    f = _functions(sigma, U_norm)
    if f is not math:
        return f.Min(f.Rational(1, 3), 1 / (192 * sigma**2 * U_norm**2))
    return min(1 / 3, 1 / (192 * sigma**2 * U_norm**2)) if U_norm else 1 / 3


def second_moment_R1(L: Any, a2: Any, F4: Any, c: Any = 75) -> Any:
    r"""Our R1: :math:`\mathbb{E}\|R_L/S_L-R/S\|^2 \le 75\,e^{4a_2}F_4/L` for every L >= 1.

    Examples
    --------
    >>> second_moment_R1(75, 0.0, 2.0)
    2.0
    """
    return c * _functions(L, a2, F4, c).exp(4 * a2) * F4 / L
