"""Explicit bounds of Boursier & Boyer, Appendix C.2 and C.4, on moments of the error of the softmax
average, in the notation of `theory.bounds.concentration`, and our R2 that replaces Lemma C.7. Both
proofs split an integral over the tail of ``|err|^2`` or ``|err|^4`` at a threshold ``t_0``, and
bound the rest by an incomplete Gamma integral.
"""

from __future__ import annotations

from typing import Any

from theory.bounds.concentration import C, delta_0
from theory.inputs.arguments import read

__all__ = ["fourth_moment_R2", "lemma_c7", "tail_integral", "threshold_c4", "threshold_c7"]

Scalar = Any  # float, array of floats or sympy.Expr


def threshold_c4(L: Scalar, a2: Scalar, F4: Scalar) -> Scalar:
    """The threshold ``t_0 = 16 C / (27 delta_0 L)`` of the proof of Lemma C.4: that is ``L F4``."""
    _, L, a2, F4 = read(L=L, a2=a2, F4=F4)
    return 16 * C(a2, F4) / (27 * delta_0(L, a2) * L)


def threshold_c7(L: Scalar, a2: Scalar, F4: Scalar) -> Scalar:
    """The threshold ``t_0 = (16/27)^2 C^2 / (delta_0^2 L^3)`` of the proof of Lemma C.7, which is
    ``L F4^2``.
    """
    _, L, a2, F4 = read(L=L, a2=a2, F4=F4)
    return 16**2 * C(a2, F4) ** 2 / (27**2 * delta_0(L, a2) ** 2 * L**3)


def tail_integral(x: Scalar, scale: Scalar, p: int) -> Scalar:
    """The integral of ``u^(p-1) exp(-u/scale)`` from x >= 0 to infinity: ``scale exp(-x/scale)``
    for p = 1, ``(scale^2 + scale x) exp(-x/scale)`` for p = 2. The scale is
    ``16 sigma^2 C_f^(2/p)`` in the paper.
    """
    if p not in (1, 2):
        raise ValueError(f"p = {p!r} is neither 1 nor 2, the only cases of Lemma C.4")
    m, x, scale = read(x=x, scale=scale)
    return (scale if p == 1 else scale**2 + scale * x) * m.exp(-x / scale)


def lemma_c7(L: Scalar, a2: Scalar, F4: Scalar, sigma2: Scalar, C_f: Scalar, d: Scalar, Z4: Scalar) -> Scalar:
    """The bound of Lemma C.7 on ``E|err|^4``; ``C_f = sup |f(z)| / |z|`` and ``Z4 = E|Z|^4``."""
    m, L, a2, F4, sigma2, C_f, d, Z4 = read(L=L, a2=a2, F4=F4, sigma2=sigma2, C_f=C_f, d=d, Z4=Z4)
    root = m.sqrt(L / 8)
    first = 2 * C(a2, F4) * F4 / m.sqrt(L)
    moment = 1 + m.sqrt(L / 2) / (32 * sigma2) * m.sqrt(Z4)
    rate = (root - m.exp(2 * a2)) * F4 / (16 * sigma2 * C_f**2)
    return first + 16**3 * sigma2**2 * L * C_f**4 * m.exp(2 * d) * moment * m.exp(-rate)


def fourth_moment_R2(L: Scalar, a2: Scalar, F8: Scalar, c: Scalar = 8000) -> Scalar:
    """Our bound ``8000 e^{16 a2} F8 / L^2`` on ``E|err|^4`` at a fixed query, for every ``L >= 1``
    and every f with ``F8 = sqrt(E|f(Z)|^8)`` finite.
    """
    m, L, a2, F8, c = read(L=L, a2=a2, F8=F8, c=c)
    return c * m.exp(16 * a2) * F8 / L**2
