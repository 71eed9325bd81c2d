"""Moments of the softmax weights of Gaussian scores, by quadrature: exact to rounding for every prompt length at once.

Let p = softmax(√s g₁, …, √s g_L) with iid standard normal g, and π_k = Σ p_iᵏ. From 1/Xᵏ = ∫ r^{k-1} e^{-rX} dr / (k-1)! with
r = eᵛ and X = Σ e^{√s g_i}, every moment of the π_k becomes one integral over v of products of

    m_k(v) = E φ_k(v + √s g),   φ_k(x) = exp(kx − eˣ),   m₀(v) = E exp(−e^{v + √s g}),

taken to powers L − 1 and L − 2. The functions m_k know nothing of L. All integrands are positive and analytic in the strip
|Im| < π/2, so that trapezoid sums converge like exp(−π²/step) and lose no digits to cancellation, however small the moment.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["SoftmaxMoments", "softmax_moments"]

Array = NDArray[np.float64]

STEP = 0.22  # of both trapezoid sums: exp(−π²/STEP) = 3e-20, and (2π/STEP)^{7/2} = 1e5 times as much for φ₄
FLAT = 0.5  # below this √s the Gaussian is narrower than a step, and its own variable g is summed over instead
GAUSS_STEP = 0.4  # of that sum
WIDE = 64.0  # from this √s on the step in v grows with √s, so that the cost stays bounded as s → ∞
CUT = 40.0  # integrands are followed down to e^{-CUT} of their maximum
X_END = 4.4  # φ_k(x) < 1e-27 of its maximum beyond
LARGEST_LENGTH = 1e100


class SoftmaxMoments(NamedTuple):
    """The three moments that the second-order theory of Gaussian tokens needs; each has the broadcast shape of s and L.

    Attributes
    ----------
    P2, P3, Q : float or ndarray
        E Σ p_i², E Σ p_i³ and E (Σ p_i²)² of the softmax weights p.
    """

    P2: float | Array
    P3: float | Array
    Q: float | Array


class _Laplace(NamedTuple):
    """The functions m_k on an equidistant grid of v, from its start in steps; q = 1 − m₀ to full relative accuracy."""

    start: float
    step: float
    log_m0: Array
    m2: Array
    m3: Array
    m4: Array


def softmax_moments(s: ArrayLike, L: ArrayLike) -> SoftmaxMoments:
    """P₂ = E Σ p_i², P₃ = E Σ p_i³ and Q = E (Σ p_i²)² for the softmax p of L independent N(0, s) scores.

    With s = (Uz)ᵀΓ(Uz) these give the exact first and second moments of the error of softmax attention on Gaussian tokens.

    Parameters
    ----------
    s : array_like
        Variance of the scores, finite and at least 0.
    L : array_like
        Prompt length: whole numbers from 1 to 1e100, as int or float. It broadcasts against `s`; all lengths that share one `s`
        cost little more than the largest of them.

    Returns
    -------
    SoftmaxMoments
        Named tuple ``(P2, P3, Q)`` of floats if both arguments are scalars, else of arrays of the broadcast shape. The relative
        error is below 1e-12 for s <= 1000 against a table of 20-digit values; beyond, the same formulas are used with a step in
        proportion to √s, and all three tend to 1. ``s = 0`` and ``L = 1`` are exact.

    Raises
    ------
    TypeError
        If an argument is not real.
    ValueError
        If `s` is negative or not finite, if `L` is not a whole number from 1 to 1e100, or if the shapes do not broadcast.

    Notes
    -----
    The moments satisfy 1/L <= P₂ <= eˢ/(eˢ + L − 1), P₂² <= Q <= P₃ <= P₂ and ∂P₂/∂s = P₂ − 4P₃ + 3Q.

    Examples
    --------
    >>> m = softmax_moments(0.0, 4)
    >>> m.P2, m.P3, m.Q
    (0.25, 0.0625, 0.0625)
    >>> import math
    >>> round(softmax_moments(1.0, 10**30).P2 * 1e30 / math.e, 12)
    1.0
    >>> softmax_moments([[0.5], [2.0]], [1, 10, 100]).Q.shape
    (2, 3)
    """
    s_, L_ = _variance(s), _length(L)
    try:
        shape = np.broadcast_shapes(s_.shape, L_.shape)
    except ValueError:
        raise ValueError(f"s of shape {s_.shape} and L of shape {L_.shape} do not broadcast; for a table pass s[:, None]") from None
    s_, L_ = np.broadcast_to(s_, shape).ravel(), np.broadcast_to(L_, shape).ravel()
    out = np.empty((3, s_.size))
    for value in np.unique(s_):
        here = s_ == value
        out[:, here] = _moments(float(value), L_[here])
    P2, P3, Q = (float(row[0]) if shape == () else row.reshape(shape) for row in out)
    return SoftmaxMoments(P2, P3, Q)


def _real(name: str, value: ArrayLike) -> Array:
    try:
        array = np.asarray(value)
        if array.dtype.kind in "cSUMmb" or value is None:
            raise TypeError
        return np.asarray(array, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name} = {str(value)[:24]}... is larger than any float; the quadrature goes up to 1e100") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a real number or an array of real numbers, not {value!r}") from None


def _variance(s: ArrayLike) -> Array:
    array = _real("s", s)
    bad = array[~(np.isfinite(array) & (array >= 0))]
    if bad.size:
        raise ValueError(f"s = {bad.flat[0]} is not the variance of a score; s = (Uz)'Gamma(Uz) is finite and at least 0")
    return array


def _length(L: ArrayLike) -> Array:
    array = _real("L", L)
    bad = array[~((array >= 1) & (array <= LARGEST_LENGTH) & (array == np.floor(array)))]
    if bad.size:
        raise ValueError(f"L = {bad.flat[0]} is not a prompt length; L is a whole number from 1 to 1e100")
    return array


def _moments(s: float, L: Array) -> Array:
    """Rows P2, P3, Q for one s and a vector of lengths."""
    equal = np.stack([1 / L, L**-2.0, L**-2.0])  # s = 0: all weights are 1/L
    if s == 0:
        return equal
    out = np.empty((3, L.size))
    f = _laplace(math.sqrt(s), float(np.log(L.max())))
    with np.errstate(under="ignore"):
        for i, l in enumerate(L):
            one = l * np.exp((l - 1) * f.log_m0)
            two = (l - 1) * np.exp((l - 2) * f.log_m0) * l if l > 1 else np.zeros_like(one)
            out[:, i] = np.sum(one * f.m2), np.sum(one * f.m3) / 2, np.sum(one * f.m4 + (two * f.m2) * f.m2) / 6
        out *= f.step
    return np.where(L == 1, 1.0, np.minimum(out, 1.0))  # rounding must not lift a moment above 1


def _laplace(tau: float, log_L: float) -> _Laplace:
    """m₀ and m₂, m₃, m₄ on the range of v that matters for every length up to exp(log_L)."""
    # For 0 <= θ <= 2, L m₂(v) <= L E e^{θ(v + √s g)} = L exp(θv + θ²s/2). Left of v_lo the best θ puts this below e^{-CUT}/L, while
    # P₂ >= 1/L.
    rare = 2 * log_L + CUT
    v_lo = -(rare / 2 + tau * tau) if 2 * tau * tau <= rare else -tau * math.sqrt(2 * rare)
    v_hi = X_END + tau * math.sqrt(2 * CUT)
    with np.errstate(under="ignore"):
        return _narrow(tau, v_lo, v_hi) if tau < FLAT else _broad(tau, v_lo, v_hi, log_L)


def _narrow(tau: float, v_lo: float, v_hi: float) -> _Laplace:
    """Sum over g itself; a tilt by e^{4√s g} shifts its mass to 4√s."""
    v = STEP * np.arange(math.floor(v_lo / STEP), math.ceil(v_hi / STEP) + 1)
    end = math.sqrt(2 * CUT)
    g = GAUSS_STEP * np.arange(math.floor(-end / GAUSS_STEP), math.ceil((end + 4 * tau) / GAUSS_STEP) + 1)
    density = GAUSS_STEP / math.sqrt(2 * math.pi) * np.exp(-g * g / 2)
    X = np.exp(np.minimum(v[:, None] + tau * g, 6.0))  # beyond x = 6, exp(−eˣ) is 0 to all digits anyway
    decay = np.exp(-X)
    q, m0 = -np.expm1(-X) @ density, decay @ density
    m2, m3, m4 = ((X**k * decay) @ density for k in (2, 3, 4))
    return _Laplace(float(v[0]), STEP, _log_complement(q, m0), m2, m3, m4)


def _broad(tau: float, v_lo: float, v_hi: float, log_L: float) -> _Laplace:
    """Sum over x = v + √s g. Integration by parts puts m₀ into the same form: 1 − m₀(v) = ∫ φ₁(x) Φ((v − x)/√s) dx."""
    from scipy.special import ndtr

    # The integrand of 1 − m₀ at v_lo is largest at x = v_lo + s, or at 0 if that is positive. For large v it falls like eˣ only,
    # and (L − 1)(1 − m₀) must be right to e^{-CUT}.
    peak, reach = v_lo + tau * tau, math.sqrt(2 * CUT) * tau
    half = peak / 2 + math.hypot(peak / 2, reach / 2)  # halved, lest it overflow at the largest s
    x_lo = min(peak - reach, -(log_L + CUT)) if peak < 0 else -reach / 2 * (reach / half)
    x = STEP * np.arange(math.floor(x_lo / STEP), math.ceil(X_END / STEP) + 1)
    phi = [STEP * np.exp(k * x - np.exp(x)) for k in (1, 2, 3, 4)]
    norm = 1 / (math.sqrt(2 * math.pi) * tau)
    if tau < WIDE:  # one grid for v and x: the kernels depend on x − v only, and the sums are convolutions
        n_v = math.ceil((v_hi - v_lo) / STEP) + 1
        start = math.floor(v_lo / STEP) * STEP
        lags = (x[0] - start + STEP * np.arange(-(n_v - 1), x.size)) / tau
        gauss, below, above = norm * np.exp(-lags * lags / 2), ndtr(lags), ndtr(-lags)
        against = lambda kernel, f: np.convolve(kernel, f[::-1], mode="valid")[::-1]  # noqa: E731
        step = STEP
    else:  # the largest score fluctuates by √s/√(2 log L): that is the scale on which the integrand over v varies
        step = STEP * tau / (math.sqrt(2 * log_L) + 3)
        start = v_lo
        v = start + step * np.arange(math.ceil((v_hi - v_lo) / step) + 1)
        lags = (x - v[:, None]) / tau
        gauss, below, above = norm * np.exp(-lags * lags / 2), ndtr(lags), ndtr(-lags)
        against = lambda kernel, f: kernel @ f  # noqa: E731
    m2, m3, m4 = (against(gauss, f) for f in phi[1:])
    return _Laplace(start, step, _log_complement(against(above, phi[0]), against(below, phi[0])), m2, m3, m4)


def _log_complement(q: Array, m0: Array) -> Array:
    """log m₀ where q = 1 − m₀: from whichever of the two is small, and finite where m₀ underflows (0 · log m₀ must stay 0)."""
    return np.where(q < 0.5, np.log1p(-np.minimum(q, 0.5)), np.log(np.maximum(m0, 1e-300)))
