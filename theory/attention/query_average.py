"""The error of softmax attention on Gaussian tokens averaged over a Gaussian query: how it decays
with the prompt length (our Theorem B), with and without the query inside the prompt.

Tokens are ``N(0, Gamma)``, the query is ``z ~ N(0, S)``. In an eigenbasis of
``A = S^{1/2} U' Gamma U S^{1/2}`` with eigenvalues ``lambda_j`` the score variance is
``s = sum lambda_j x_j^2``, and ``N = S^{1/2} U' Gamma V'V Gamma U S^{1/2}`` enters only by its
diagonal ``n_j``, since ``E[|V h|^2 | s] = E[sum n_j x_j^2 | s]``. So all depends on
``(lambda_j, n_j)`` and ``t = tr(V Gamma V')``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import mul
from typing import Any, NamedTuple

import sympy as sp

__all__ = [
    "Decay",
    "decay_exponent",
    "decay_with_the_query",
    "limit_constant",
    "self_weight_rate",
    "sharp_exponent",
    "theorem_B",
]

Scalar = Any  # float or sympy.Expr
#: Eigenvalues closer than this to the largest one, or to 1/2, count as equal to it.
TOLERANCE = 1e-12


class Decay(NamedTuple):
    """``E(L) ~ constant (ln L)^log_power / L^exponent`` as L grows."""

    exponent: Scalar
    log_power: Scalar
    constant: Scalar


def _kit(*values: Any) -> Any:
    """The module whose functions suit the values: SymPy for expressions, math for floats."""
    return sp if any(isinstance(v, sp.Basic) for v in values) else math


def _product(factors: Iterable[Scalar]) -> Scalar:
    """The product of the factors; `math.prod` would make a float of an exact number."""
    return reduce(mul, factors, 1)


def _read(
    eigenvalues: Sequence[Scalar], weights: Sequence[Scalar], t: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """Eigenvalues and weights sorted by decreasing eigenvalue, checked."""
    pairs = sorted(zip(eigenvalues, weights, strict=True), key=lambda pair: pair[0], reverse=True)
    if not pairs or pairs[-1][0] < 0 or any(n < 0 for _, n in pairs) or t < 0:
        raise ValueError(
            f"eigenvalues {list(eigenvalues)}, weights {list(weights)} and t = {t} must not be negative, "
            "nor empty"
        )
    return [x for x, _ in pairs], [n for _, n in pairs]


def decay_exponent(lam: Scalar) -> Scalar:
    """The positive root ``b = sqrt(1/lambda + 1/4) - 1/2`` of ``b^2 + b = 1/lambda`` for the
    largest eigenvalue of A; it is 1 at lambda = 1/2.
    """
    if not isinstance(lam, sp.Basic) and not lam > 0:
        raise ValueError(f"lambda = {lam} is not positive; without scores the error is t/L")
    m, half = _kit(lam), sp.Rational(1, 2) if isinstance(lam, sp.Basic) else 0.5
    return m.sqrt(1 / lam + half**2) - half


def sharp_exponent(lam: float) -> float:
    """The exponent of ``E(L)``: ``min(1, b)``, and 1 for lambda = 0."""
    return 1.0 if lam == 0 else min(1.0, float(decay_exponent(lam)))


def limit_constant(eigenvalues: Sequence[Scalar], weights: Sequence[Scalar], t: Scalar) -> Scalar:
    """C1 with ``E(L) <= C1 / L`` for every L and ``L E(L) -> C1``, for lambda < 1/2:
    ``prod (1 - 2 lambda_j)^{-1/2} [t + sum n_j / (1 - 2 lambda_j)]``, which is
    ``det(I - 2A)^{-1/2} [t + tr(N (I - 2A)^{-1})]``.
    """
    m = _kit(t, *eigenvalues, *weights)
    resolvent = [1 / (sp.S.One - 2 * x if m is sp else 1 - 2 * x) for x in eigenvalues]
    mean = t + sum(n * r for r, n in zip(resolvent, weights, strict=True))
    return mean * _product(m.sqrt(r) for r in resolvent)


def theorem_B(eigenvalues: Sequence[Scalar], weights: Sequence[Scalar], t: Scalar) -> Decay:
    """Theorem B: the decay of ``E(L) = E_z E|T_L - T|^2`` for a Gaussian query independent of the
    prompt, an equality in the limit; for lambda < 1/2 it is also a bound for every L. Refused if
    lambda >= 1/2 and the weights n_j on the top eigenspace vanish: then the power of the logarithm
    drops by one and the constant is another.
    """
    values, n = _read(eigenvalues, weights, t)
    lam = values[0]
    if lam < 0.5 - (0 if isinstance(lam, sp.Basic) else TOLERANCE):
        return Decay(1, 0, limit_constant(values, n, t))
    kit, exact = _kit(t, *values, *n), isinstance(lam, sp.Basic)
    top = [i for i, x in enumerate(values) if x == lam or (not exact and lam - x <= TOLERANCE * lam)]
    m = sp.Integer(len(top)) if exact else float(len(top))
    rho = sum(n[i] for i in top) / (m * lam)
    if not rho > 0:
        raise ValueError(
            "rho = 0: the error has no part along the top eigenspace, and the power of ln L drops by one"
        )
    rest = _product(kit.sqrt(1 - x / lam) for x in values[len(top) :])
    common = rho / rest / kit.gamma(m / 2)
    if lam == sp.Rational(1, 2) or (not exact and lam < 0.5 + TOLERANCE):
        third = sp.Rational(2, 3) if exact else 2 / 3
        return Decay(1, m / 2 + 1, common * third ** (m / 2 + 1) / (m / 2 + 1))
    b = decay_exponent(lam)
    C = (b * (b + 1) / (2 * b + 1)) ** (m / 2) * 2 * b**2 / (2 * b + 1) * kit.pi * b / kit.sin(kit.pi * b)
    return Decay(b, m / 2, common * C)


def self_weight_rate(S: Scalar, U: Scalar, Gamma: Scalar) -> Scalar:
    """``nu = S (2 U - U^2 Gamma)`` in one dimension: the query's own weight exceeds 1/2 with
    probability ``L^{-1/nu + o(1)}``, since the score ``U z^2`` of the query itself less ``s/2`` is
    ``nu x^2 / 2``, x standard normal. In every dimension it is the largest eigenvalue of
    ``S^{1/2} (U + U' - U' Gamma U) S^{1/2}``.
    """
    return S * (2 * U - U**2 * Gamma)


def decay_with_the_query(lam: float, nu: float) -> float:
    """The exponent of the averaged error with the query inside the prompt (Boursier & Boyer, Remark
    3.2): ``min(1, b, 1/nu)``, the last only for nu > 0, unless ``V (I - Gamma U) S^{1/2} = 0``.
    """
    return min(sharp_exponent(lam), 1 / nu if nu > 0 else math.inf)
