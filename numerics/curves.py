"""What theory says about the error of attention with Gaussian tokens, as curves over the prompt length.

Each row of the gradient in V is the same softmax average, so that its error is d_out times that of the output with V = I.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.exact import exact_errors
from numerics.quadrature import softmax_moments
from numerics.setting import AttentionSetting
from theory.concentration import exponent_16, lemma_c4
from theory.sharp_rates import gaussian_second_moment, theorem_A
from theory.theorem_b import Decay, decay_exponent, theorem_B
from theory.theorem_b import sharp_exponent as exponent_of_B

__all__ = [
    "QUANTITIES",
    "Bound",
    "FarSlopes",
    "bounds",
    "exact_error",
    "far_slopes",
    "next_order",
    "sharp_exponent",
    "theorem_B_constant",
    "theorem_B_law",
]

Floats = NDArray[np.float64]
Quantity = Literal["output", "grad_V", "grad_U"]
QUANTITIES: tuple[Quantity, ...] = ("output", "grad_V", "grad_U")
#: Score variances up to which a report computes the error of the gradient in U.
LARGEST_SCORE_VARIANCE = 64.0
#: Largest s at a fixed query (False), largest lambda on average (True), for which L = 1e100 shows the exponent.
REACH = {False: 80.0, True: 8.0}


@dataclass(frozen=True, eq=False)
class Bound:
    """A curve to lay beside the measurement.

    Parameters
    ----------
    name : str
        Where it comes from.
    kind : {"upper bound", "exponent"}
        An exponent bounds nothing: its curve is drawn through the first measured point.
    values : array, shape (n,)
        NaN where the bound says nothing.
    note : str
        Hypotheses or reading aids.
    """

    name: str
    kind: Literal["upper bound", "exponent"]
    values: Floats
    note: str


@dataclass(frozen=True, eq=False)
class FarSlopes:
    """Slopes of the exact output error, from one tenth of each length to the length, where no simulation reaches.

    Parameters
    ----------
    lengths, slope : array, shape (n,)
    sharp : float
        The exponent that the slopes approach, with a minus sign.
    allowed : float
        How far from it logarithms may still keep the last slope.
    reaches : bool
        Whether L = 1e100 is long enough for the exponent to show at all.
    """

    lengths: Floats
    slope: Floats
    sharp: float
    allowed: float
    reaches: bool


def _weight(setting: AttentionSetting, quantity: Quantity) -> tuple[Floats, float]:
    """W and a factor such that the error is factor * E|W^{1/2}(zbar - h)|^2."""
    if quantity == "output":
        return setting.V.T @ setting.V, 1.0
    return np.eye(setting.d), float(setting.V.shape[0])


def exact_error(setting: AttentionSetting, quantity: Quantity, lengths: ArrayLike) -> Floats | None:
    """The exact mean squared error, by quadrature.

    Parameters
    ----------
    setting : AttentionSetting
    quantity : {"output", "grad_V", "grad_U"}
    lengths : array_like, shape (n,)
        Whole numbers from 1 to 1e100.

    Returns
    -------
    array, shape (n,), or None
        None for ``grad_U`` if the query is random or s exceeds the range of its quadrature.

    Examples
    --------
    Without scores attention is the mean of L tokens:

    >>> flat = AttentionSetting(np.eye(2), np.zeros((2, 2)), np.eye(2), np.ones(2))
    >>> exact_error(flat, "output", [1, 10]).tolist()
    [2.0, 0.2]
    """
    L = np.asarray(lengths, dtype=float)
    if quantity == "grad_U":
        if setting.averaged or setting.score_variance > LARGEST_SCORE_VARIANCE:
            return None
        return exact_errors(setting.Gamma, setting.U, setting.V, L, query=setting.query).grad_U
    W, factor = _weight(setting, quantity)
    law = setting.query_law(W, math.log(L.max()))
    P2, P3, Q = softmax_moments(law.nodes[:, None], L)
    t = float(np.trace(W @ setting.Gamma))
    of_t, of_q = gaussian_second_moment(P2, P3, Q, 1.0, 0.0), gaussian_second_moment(P2, P3, Q, 0.0, 1.0)
    return np.asarray(factor * (t * law.density @ of_t + law.moment @ of_q))


def bounds(setting: AttentionSetting, quantity: Quantity, lengths: Floats, first: float) -> tuple[Bound, ...]:
    """Every curve that theory offers for one quantity.

    Parameters
    ----------
    setting : AttentionSetting
    quantity : {"output", "grad_V", "grad_U"}
    lengths : array, shape (n,)
    first : float
        The measured value at the first length, where a curve of which only the exponent is known starts.

    Returns
    -------
    tuple of Bound
        Empty for ``grad_U``.
    """
    if quantity == "grad_U":
        return ()
    W, factor = _weight(setting, quantity)
    law = setting.query_law(W, math.log(lengths[-1]))
    t = float(np.trace(W @ setting.Gamma))
    mean = "averaged over the query; " if setting.averaged else ""
    proved = factor * (t * law.density + law.moment) @ theorem_A(law.nodes[:, None], lengths, 1.0, 0.0)
    found = [Bound("Theorem A", "upper bound", proved, f"{mean}holds for every L and every query")]
    if not setting.averaged:
        found.append(_lemma_c4(setting, quantity, lengths))
        return tuple(found)
    C1 = theorem_B_constant(setting, quantity)
    if C1 is not None:
        found.append(Bound("Theorem B", "upper bound", C1 / lengths, f"C1/L with C1 = {C1:.4g}, the limit of L times the error"))
    if np.linalg.eigvalsh(setting.query)[-1] <= 1 + 1e-12:
        sigma = max(1.0, math.sqrt(setting.sigma2))
        exponent = float(exponent_16(sigma, float(np.linalg.norm(setting.U, 2))))
        note = f"{exponent:.4g}: drawn from the first measured point, without logarithms"
        found.append(Bound("eq. (16), exponent only", "exponent", first * (lengths / lengths[0]) ** -exponent, note))
    return tuple(found)


def _lemma_c4(setting: AttentionSetting, quantity: Quantity, lengths: Floats) -> Bound:
    """Lemma C.4 with f(z) = Vz (p = 1), or d_out times it with f(z) = z; from L = 2 on, since at L = 1 it is false as printed."""
    W, factor = _weight(setting, quantity)
    GW = setting.Gamma @ W
    F4 = math.sqrt(float(np.trace(GW)) ** 2 + 2 * float(np.trace(GW @ GW)))
    C_f = math.sqrt(float(np.linalg.eigvalsh(W)[-1]))
    a2 = setting.sigma2 * float(np.sum((setting.U @ setting.query) ** 2))
    values = np.full(lengths.shape, np.nan)
    with np.errstate(over="ignore"):
        values[lengths >= 2] = factor * lemma_c4(lengths[lengths >= 2], a2, F4, setting.sigma2, C_f, setting.d)
    return Bound("Lemma C.4", "upper bound", values, f"sigma^2 = {setting.sigma2:.4g}, sigma^2 |Uz|^2 = {a2:.4g}; from L = 2 on")


def sharp_exponent(setting: AttentionSetting) -> float:
    """The exponent of the output error: 1 at a fixed query; min(1, sqrt(1/lambda + 1/4) - 1/2) on average over a Gaussian one.

    Examples
    --------
    >>> sharp_exponent(AttentionSetting(np.eye(1), np.eye(1), np.eye(1), query=[[4 / 3]]))
    0.5
    """
    return exponent_of_B(setting.score_variance) if setting.averaged else 1.0


def next_order(setting: AttentionSetting) -> float | None:
    """Exponent of the next-order term relative to the first, or None where logarithms stand in its place (lambda >= 1/2).

    On average a term L^-b, b = sqrt(1/lambda + 1/4) - 1/2, competes with the regular expansion in 1/L.
    """
    lam = setting.score_variance
    if not setting.averaged or lam == 0:
        return 1.0
    return min(1.0, float(decay_exponent(lam)) - 1) if lam < 0.5 else None


def theorem_B_constant(setting: AttentionSetting, quantity: Quantity) -> float | None:
    """C1 with error <= C1 / L for every L and equality in the limit; None unless queries are random and lambda < 1/2.

    Examples
    --------
    >>> theorem_B_constant(AttentionSetting(np.eye(1), np.zeros((1, 1)), np.eye(1), query=np.eye(1)), "output")
    1.0
    """
    if not setting.averaged or quantity == "grad_U" or setting.score_variance >= 0.5:
        return None
    return float(theorem_B_law(setting, quantity).constant)


def theorem_B_law(setting: AttentionSetting, quantity: Literal["output", "grad_V"] = "output") -> Decay:
    """The decay of the error, averaged over Gaussian queries, that Theorem B gives.

    Examples
    --------
    >>> setting = AttentionSetting(np.eye(1), np.eye(1), np.eye(1), query=[[4 / 3]])
    >>> round(theorem_B_law(setting).exponent, 12)
    0.5
    """
    W, factor = _weight(setting, quantity)
    eigenvalues, vectors = np.linalg.eigh(setting.score_form)
    h = setting.Gamma @ setting.U @ setting.query_factor @ vectors
    weights = np.einsum("ij,ik,kj->j", h, W, h)
    t = float(np.trace(W @ setting.Gamma))
    law = theorem_B(np.maximum(eigenvalues, 0.0).tolist(), weights.tolist(), t)
    return law._replace(constant=factor * law.constant)


def far_slopes(setting: AttentionSetting) -> FarSlopes:
    """Slopes of the exact output error as far out as the sharp exponent needs to show, at most up to L = 1e100.

    At a fixed query the next-order term is of size e^{2s}/L. On average the error is (ln L)^k L^-b with k <= d/2 + 1 (Theorem B),
    and the slope differs from -b by k / ln L and smaller terms.
    """
    s = setting.score_variance
    last = 100 if setting.averaged else min(100, math.ceil((2 * s + 25) / math.log(10)))
    decades = [*range(1, min(last, 10)), *range(10, last, max(1, last // 10)), last]
    wanted = sorted({0, *decades, *(k - 1 for k in decades)})
    curve = exact_error(setting, "output", [10.0**k for k in wanted])
    assert curve is not None  # the output has an exact curve in every setting
    error = dict(zip(wanted, curve.tolist()))
    slope = np.array([math.log10(error[k] / error[k - 1]) for k in decades])
    allowed = (setting.d / 2 + 2) / math.log(1e100) if setting.averaged else 1e-6
    return FarSlopes(10.0 ** np.array(decades), slope, -sharp_exponent(setting), allowed, reaches=s <= REACH[setting.averaged])
