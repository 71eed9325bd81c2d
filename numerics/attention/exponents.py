"""The exponents with which the errors fall with the prompt length, and the ranges of lambda in
which a fit can see them. Averaged over Gaussian queries, the errors of the output and of the
gradients in V and U are ``L^-min(1, b)`` up to powers of ln L, for Gaussian tokens.
"""

# The proof, by hand (R4.exponent in the ledger), has three steps.
#
# From above: at a query the errors are at most ``(1 + s)^2 P2`` times a constant, and for lambda >=
# 1/2 P2 is at most ``C L^-b e^{s / (2 lambda)}`` up to s of order ln L, which averages to ``L^-b``
# times a power of ln L.
#
# From below by L^-1: L times the error has a positive limit at every query, and Fatou's lemma
# applies.
#
# From below by L^-b: with that probability, up to powers of ln L, the query has a large s and one
# token takes nearly all the weight; then the output is that token, and the softmax covariance is
# nearly 0.
#
# For the output Theorem B gives the power of ln L. That the gradient in U carries two powers more
# is what quadrature up to L = 1e100 shows; nobody has proved it.

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.setting import AttentionSetting, Quantity
from theory.attention.query_average import TOLERANCE, Decay, decay_exponent, theorem_B
from theory.attention.query_average import sharp_exponent as exponent_of_B
from theory.bounds.concentration import exponent_16
from theory.inputs.spectrum import spectrum

__all__ = [
    "REGIONS",
    "Region",
    "exponent_curve",
    "log_power",
    "next_order",
    "paper_curve",
    "paper_exponent",
    "region",
    "sharp_exponent",
    "standing",
    "theorem_B_constant",
    "theorem_B_law",
]

Floats = NDArray[np.float64]


class Region(NamedTuple):
    """A range of lambda, ``low <= lambda < high``, and what a measurement can see in it."""

    low: float
    high: float
    says: str


#: The ranges of lambda, and what a measurement at feasible lengths can see in each.
REGIONS = (
    Region(0.0, 0.25, "exponent 1, and feasible lengths show it"),
    Region(0.25, 0.5, "exponent 1, approached slowly"),
    Region(0.5, 1.0, "exponent b, behind powers of ln L"),
    Region(1.0, math.inf, "exponent b, which feasible lengths cannot show"),
)


def region(lam: float) -> Region:
    """The range that lambda lies in."""
    return next(r for r in REGIONS if r.low <= lam < r.high)


def exponent_curve(lam: ArrayLike) -> Floats:
    """``min(1, b(lambda))``, ``b = sqrt(1/lambda + 1/4) - 1/2``, for an array of lambda."""
    return np.array([exponent_of_B(float(x)) for x in np.atleast_1d(np.asarray(lam, dtype=float))])


def paper_curve(kappa: ArrayLike, quantity: Quantity) -> Floats:
    """The exponent that the paper's proofs give, at ``kappa = sigma^2 |U|^2`` (at least lambda for
    queries N(0, I)): ``min(1/3, 1/(192 kappa))``, eq. (16), for output and gradient in V. For the
    gradient in U it is that of the product term: by (21) and the Cauchy-Schwarz inequality half the
    exponent of eq. (18), ``min(1/12, 1/(768 kappa))``.
    """
    scale = 4.0 if quantity == "grad_U" else 1.0
    return np.array(
        [float(exponent_16(1.0, math.sqrt(k))) / scale for k in np.atleast_1d(np.asarray(kappa, dtype=float))]
    )


def paper_exponent(setting: AttentionSetting, quantity: Quantity) -> float | None:
    """The paper's exponent for this setting; None where it has none: at one query, or for a query
    that is not 1-sub-Gaussian.
    """
    if setting.query_cov is None or np.linalg.eigvalsh(setting.query_cov)[-1] > 1 + 1e-12:
        return None
    kappa = max(1.0, setting.sigma2) * float(np.linalg.norm(setting.U, 2)) ** 2
    return float(paper_curve(kappa, quantity)[0])


def sharp_exponent(setting: AttentionSetting, quantity: Quantity = "output") -> float | None:
    """The exponent of the error, up to powers of ln L; None where theory has none. At one query it
    is 1 for every law; but the gradient in U vanishes with the query, and may converge faster for
    tokens on a line that are not Gaussian. On average over Gaussian queries it is min(1,
    sqrt(1/lambda + 1/4) - 1/2) for Gaussian tokens and unknown for others.
    """
    if quantity == "grad_U" and not np.any(setting.query_factor):
        return None
    if setting.averaged:
        return exponent_of_B(setting.score_variance) if setting.gaussian else None
    # The covariance of two equally likely points does not fluctuate to first order.
    flat = quantity == "grad_U" and not setting.gaussian and spectrum(setting.Gamma).values.size < 2
    return None if flat else 1.0


def standing(setting: AttentionSetting, quantity: Quantity) -> str:
    """How `sharp_exponent` is known, in a few words for a report."""
    return "not known" if sharp_exponent(setting, quantity) is None else "proved by hand"


def next_order(setting: AttentionSetting, quantity: Quantity = "output") -> float | None:
    """Exponent of the next-order term relative to the first, or None where logarithms stand in its
    place or nothing is known. On average a term L^-b, b = sqrt(1/lambda + 1/4) - 1/2, competes with
    the regular expansion in 1/L; from lambda = 1/2 on it is the first term, with powers of ln L.
    """
    lam = setting.score_variance
    if sharp_exponent(setting, quantity) is None:
        return None
    if not setting.averaged or lam == 0:
        return 1.0
    return min(1.0, float(decay_exponent(lam)) - 1) if lam < 0.5 - TOLERANCE else None


def theorem_B_constant(setting: AttentionSetting, quantity: Quantity) -> float | None:
    """C1 with error <= C1 / L for every L and equality in the limit; None unless tokens and queries
    are Gaussian and lambda < 1/2.
    """
    if (
        not (setting.averaged and setting.gaussian)
        or quantity == "grad_U"
        or setting.score_variance >= 0.5 - TOLERANCE
    ):
        return None
    return float(theorem_B_law(setting, quantity).constant)


def theorem_B_law(setting: AttentionSetting, quantity: Literal["output", "grad_V"] = "output") -> Decay:
    """The decay of the error, averaged over Gaussian queries, that Theorem B gives for Gaussian
    tokens. ValueError if lambda >= 1/2 and the error has no part along the top eigenspace, but for
    rounding: then the power of ln L is smaller by one.
    """
    W, factor = setting.weight(quantity)
    eigenvalues, vectors = np.linalg.eigh(setting.score_form)
    h = setting.Gamma @ setting.U @ setting.query_factor @ vectors
    weights = np.einsum("ij,ik,kj->j", h, W, h)
    weights[weights <= (TOLERANCE * np.linalg.norm(h)) ** 2 * np.linalg.norm(W)] = 0.0
    t = float(np.trace(W @ setting.Gamma))
    law = theorem_B(np.maximum(eigenvalues, 0.0).tolist(), weights.tolist(), t)
    return law._replace(constant=factor * law.constant)


def log_power(setting: AttentionSetting, quantity: Quantity) -> float | None:
    """The power of ln L that Theorem B gives; None where it gives none.

    >>> one = np.eye(1)
    >>> log_power(AttentionSetting(one, one, one, query_cov=[[4 / 3]]), "output")
    0.5
    """
    if not (setting.gaussian and setting.averaged and next_order(setting) is None) or quantity == "grad_U":
        return None
    try:
        return float(theorem_B_law(setting, quantity).log_power)
    except ValueError:  # rho = 0: the theorem gives the exponent only
        return None
