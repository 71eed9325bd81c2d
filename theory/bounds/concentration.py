"""Every explicit bound of Boursier & Boyer, Appendix C.1 and C.2, on the error of the softmax
average, and our second-moment bound that replaces them.

For sigma-sub-Gaussian tokens Z, a query z and a function f the softmax average ``R_L/S_L`` over L
tokens tends to ``R/S``; ``err`` is the difference. The law enters only by ``a2 = sigma^2 |Uz|^2``
and ``K = F4 = sqrt(E|f(Z)|^4)``. Functions take numbers, arrays or SymPy expressions, and answer in
kind.
"""

from __future__ import annotations

from typing import Any

from theory.inputs.arguments import read
from theory.inputs.kinds import check_kind

__all__ = [
    "C",
    "alpha_minus",
    "alpha_plus",
    "beta",
    "delta_0",
    "delta_min",
    "exponent_16",
    "lemma_c1",
    "lemma_c4",
    "second_moment_R1",
]

Scalar = Any  # float, array of floats or sympy.Expr


def delta_min(L: Scalar, a2: Scalar, c: Scalar = 8) -> Scalar:
    """Least delta, ``exp(-(L/c) e^{-2 a2})``, for which the proof of Lemma C.1 has
    ``alpha_- <= 1/2``. The lemma prints c = 8, and lacks the ``sigma^2`` in a2.
    """
    m, L, a2, c = read(L=L, a2=a2, c=c)
    return m.exp(-L / c * m.exp(-2 * a2))


def delta_0(L: Scalar, a2: Scalar, c: Scalar = 64) -> Scalar:
    """Least delta that Corollary C.3 admits, ``c e^{4 a2} / L^2`` with c = 64; above 1 for short
    prompts, where the corollary says nothing.
    """
    m, L, a2, c = read(L=L, a2=a2, c=c)
    return c * m.exp(4 * a2) / L**2


def alpha_minus(L: Scalar, a2: Scalar, delta: Scalar, c: Scalar = 2) -> Scalar:
    """Relative deviation ``e^{a2} sqrt(c ln(1/delta)/L)`` beyond which ``S_L`` falls with
    probability at most delta (Chung and Lu 2006, Theorem 7): ``S_L >= (1 - alpha_-) S``. The paper
    prints c = 2; where the proof glues its parts it is capped at 1.
    """
    m, L, a2, delta, c = read(L=L, a2=a2, delta=delta, c=c)
    return m.exp(a2) * m.sqrt(c * m.log(1 / delta) / L)


def alpha_plus(L: Scalar, a2: Scalar, delta: Scalar, c: Scalar = 3) -> Scalar:
    """Relative deviation ``e^{a2} sqrt(c/(delta L))`` beyond which ``S_L`` rises with probability
    at most delta (heavy-tail bound of Bubeck et al. 2013): ``S_L <= (1 + alpha_+) S``. The paper
    prints c = 3; Chebyshev's inequality gives 1.
    """
    m, L, a2, delta, c = read(L=L, a2=a2, delta=delta, c=c)
    return m.exp(a2) * m.sqrt(c / (delta * L))


def beta(L: Scalar, a2: Scalar, delta: Scalar, K: Scalar, c: Scalar = 3) -> Scalar:
    """Deviation ``e^{2 a2} sqrt(K) sqrt(c/(delta L))`` of ``R_L / L`` in the proof of Lemma C.1,
    with c = 3; the statement of the lemma uses the same letter with 1.
    """
    m, L, a2, delta, K, c = read(L=L, a2=a2, delta=delta, K=K, c=c)
    return m.exp(2 * a2) * m.sqrt(K) * m.sqrt(c / (delta * L))


def lemma_c1(L: Scalar, a2: Scalar, delta: Scalar, K: Scalar, c: Scalar = 27) -> Scalar:
    """The bound ``27 e^{4 a2} K / (delta L)`` of Lemma C.1 on ``|err|^2``, with probability at
    least ``1 - 4 delta``.
    """
    m, L, a2, delta, K, c = read(L=L, a2=a2, delta=delta, K=K, c=c)
    return c * m.exp(4 * a2) * K / (delta * L)


def C(a2: Scalar, K: Scalar, c: Scalar = 108) -> Scalar:
    """The constant ``C(U, f, z) = 108 e^{4 a2} K`` of Corollary C.3 and Lemma C.4."""
    m, a2, K, c = read(a2=a2, K=K, c=c)
    return c * m.exp(4 * a2) * K


def lemma_c4(
    L: Scalar,
    a2: Scalar,
    F4: Scalar,
    sigma2: Scalar,
    C_f: Scalar,
    d: Scalar,
    *,
    p: int = 1,
    Z8: Scalar | None = None,
    power: int = 1,
    positive_part: bool = False,
) -> Scalar:
    """The bound of Lemma C.4 on ``E|err|^2``.

    Parameters
    ----------
    L, a2 : number or Expr
        Prompt length, and ``sigma^2 |Uz|^2``.
    F4 : number or Expr
        ``sqrt(E|f(Z)|^4)``.
    sigma2 : number or Expr
        ``sigma^2``.
    C_f : number or Expr
        ``sup |f(z)| / |z|^p``.
    d : number or Expr
        Dimension of a token.
    p : {1, 2}
        Growth of f.
    Z8 : number or Expr, optional
        ``E|Z|^8``, needed for p = 2.
    power : {1, 2}
        Power of ``C_f`` in front of the second term: 1 as printed; 2 by homogeneity, since the left
        side is quadratic in f.
    positive_part : bool
        Take the last display but one of the proof instead, whose exponent is not positive: it has
        ``(L/2 - e^{2 a2})_+^{1/p}`` where the lemma has ``(L/2)^{1/p} - e^{2 a2 / p}``.

    Returns
    -------
    number or Expr
        The first term vanishes at L = 1, where the lemma is false as printed.

    Raises
    ------
    ValueError
        If p or `power` is neither 1 nor 2, p = 2 without `Z8`, or floats cannot say what the bound
        is.

    Examples
    --------
    For ``f(z) = 1000 z``, ``U = 0``, ``L = 1``, ``Z ~ N(0, 1)`` the printed bound is smaller than
    the truth, ``10^6``:

    >>> round(lemma_c4(1, 0, 3**0.5 * 1e6, 1, 1000, 1), 1)
    249600.7
    """
    check_kind(bool, positive_part=positive_part)
    for name, value in (("p", p), ("power", power)):
        if not isinstance(value, int) or value not in (1, 2):
            raise ValueError(f"{name} = {value!r} is neither 1 nor 2, the only cases of Lemma C.4")
    if p == 2 and Z8 is None:
        raise ValueError("for p = 2 the bound of Lemma C.4 contains E|Z|^8; pass it as Z8")
    m, L, a2, F4, sigma2, C_f, d, Z8 = read(
        L=L, a2=a2, F4=F4, sigma2=sigma2, C_f=C_f, d=d, Z8=0 if Z8 is None else Z8
    )
    root = (lambda x: x) if p == 1 else m.sqrt
    first = 2 * C(a2, F4) * m.log(L) / L
    moment = 1 + (m.sqrt(L) / (22 * sigma2) * m.sqrt(m.sqrt(Z8)) if p == 2 else 0)
    growth = root(m.maximum(L / 2 - m.exp(2 * a2), 0)) if positive_part else root(L / 2) - m.exp(2 * a2 / p)
    square = C_f * C_f  # with C_f**2 a float would raise an OverflowError, where the bound is infinite
    size = 16 * sigma2 * (square if p == 1 else C_f)
    if isinstance(size, float) and size == 0:
        raise ValueError(
            f"sigma2 = {sigma2} and C_f = {C_f} are so small that their product is 0 in floats; choose "
            "other units"
        )
    rate = growth * root(F4) / size
    spread = 2 * 16**p * (sigma2 if p == 1 else sigma2 * sigma2) * L * p * (C_f if power == 1 else square)
    bound = first + spread * m.exp(2 * d) * moment * m.exp(-rate)
    if isinstance(bound, float) and bound != bound:
        raise ValueError(
            f"the bound at L = {L}, sigma2 = {sigma2} and C_f = {C_f} is 0 times infinity in floats; choose "
            "other units"
        )
    return bound


def exponent_16(sigma: Scalar, U_norm: Scalar) -> Scalar:
    """The exponent ``min(1/3, 1/(192 sigma^2 |U|^2))`` of 1/L in eq. (16), and so in Proposition
    3.1, up to logarithms.
    """
    m, sigma, U_norm = read(sigma=sigma, U_norm=U_norm)
    return 1 / m.maximum(3, 192 * sigma**2 * U_norm**2)


def second_moment_R1(L: Scalar, a2: Scalar, F4: Scalar, c: Scalar = 50) -> Scalar:
    """Our bound ``50 e^{4 a2} F4 / L`` on ``E|err|^2`` at a fixed query, for every ``L >= 1`` and
    every f with a fourth moment. By Markov's inequality it contains Lemma C.1 and Corollary C.3 for
    every delta in (0, 1).
    """
    m, L, a2, F4, c = read(L=L, a2=a2, F4=F4, c=c)
    return c * m.exp(4 * a2) * F4 / L
