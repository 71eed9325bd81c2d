"""The loss of an attention window for long prompts, exactly, and the laws of the best width: our R8
and R14 to R16, beside Theorem 3.4 of Collins et al.

The weights are e^{-w|x_i-x|^2}. As the number n of tokens grows, the bias tends to
``B^2 = sum b_k (1 - rho_k(2w))^2`` with ``rho_k(kappa) = I_{k+nu}(kappa)/I_nu(kappa)`` and
``nu = d/2 - 1``, and n times the mean of the sum of squared weights to Q(w).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import gammaln

from theory.attention.window.classes import Spectrum
from theory.attention.window.gegenbauer import scaled_bessel

__all__ = [
    "bessel_quotient",
    "bias",
    "crossover_law",
    "curvature_law",
    "effective_samples",
    "expansion_without_window",
    "exponent",
    "long_prompt_loss",
    "noise_constant",
    "noiseless_law",
    "regret",
    "relu_law",
    "token_variance",
    "unified_loss",
]

Floats = NDArray[np.float64]
#: How many pairs of a degree and a width are taken at once.
BLOCK = 2**16


def bessel_quotient(d: int, k: Any, kappa: Any) -> Any:
    """The quotient ``rho_k(kappa) = I_{k+nu}(kappa)/I_nu(kappa)``, nu = d/2 - 1: the mean of
    ``P_k(x'y)`` when y has a density proportional to ``e^{kappa x'y}``. Elementary for d = 3 and
    k = 1; k may be an array only beside numbers.
    """
    if isinstance(kappa, sp.Expr):
        if (d, k) == (3, 1):
            return sp.coth(kappa) - 1 / kappa
        nu = sp.Rational(d, 2) - 1
        return sp.besseli(k + nu, kappa) / sp.besseli(nu, kappa)
    x = np.asarray(kappa, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        out = scaled_bessel(k + d / 2 - 1, x) / scaled_bessel(d / 2 - 1, x)
    return np.where(x == 0, np.asarray(k == 0, dtype=float), out)[()]


def bias(spectrum: Spectrum, w: ArrayLike) -> Any:
    """The bias for long prompts, ``B^2 = sum_{k >= 1} b_k (1 - rho_k(2w))^2``; what the spectrum
    leaves out is counted whole.
    """
    x = 2 * np.asarray(w, dtype=float)
    out, degrees = np.full(x.shape, spectrum.tail), np.flatnonzero(spectrum.b[1:]) + 1
    for k in np.array_split(
        degrees, degrees.size * x.size // BLOCK + 1
    ):  # in blocks, lest all widths and degrees take memory
        out = out + np.tensordot(
            spectrum.b[k], (1 - bessel_quotient(spectrum.d, k.reshape(-1, *[1] * x.ndim), x)) ** 2, 1
        )
    return out[()]


def effective_samples(d: int, w: Any) -> Any:
    """The limit ``Q(w) = I_nu(4w) (w/2)^nu / (I_nu(2w)^2 Gamma(d/2))`` of n times the mean of the
    sum of squared weights: the number of tokens over the number that the window holds in effect.
    For d = 3 it is ``2w coth 2w``.
    """
    if isinstance(w, sp.Expr):
        if d == 3:
            return 2 * w * sp.coth(2 * w)
        nu = sp.Rational(d, 2) - 1
        return sp.besseli(nu, 4 * w) * (w / 2) ** nu / (sp.besseli(nu, 2 * w) ** 2 * sp.gamma(nu + 1))
    x, nu = np.asarray(w, dtype=float), d / 2 - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        out = np.exp(
            np.log(scaled_bessel(nu, 4 * x))
            - 2 * np.log(scaled_bessel(nu, 2 * x))
            + nu * np.log(x / 2)
            - gammaln(d / 2)
        )
    return np.where(x < 1e-8, 1.0, out)[()]


def long_prompt_loss(spectrum: Spectrum, w: ArrayLike, whole: ArrayLike) -> Any:
    """The loss ``B^2(w) + Q(w)/Lambda`` of a window for long prompts, Lambda = n/sigma^2.

    >>> from theory.attention.window.classes import affine
    >>> round(float(long_prompt_loss(affine(1).spectrum(3), 2.0, 100.0)), 6)
    0.046934
    """
    return bias(spectrum, w) + effective_samples(spectrum.d, w) / np.asarray(whole, dtype=float)


def token_variance(spectrum: Spectrum, w: ArrayLike) -> Any:
    """The mean square V of the value at a token of the window less the value that the window shows
    on average, ``sum_{k >= 1} b_k (1 - 2 rho_k(2w) rho_k(4w) + rho_k(2w)^2)``.
    """
    x = 2 * np.asarray(w, dtype=float)
    out = np.full(x.shape, spectrum.tail)
    for k in np.flatnonzero(spectrum.b[1:]) + 1:
        once, twice = bessel_quotient(spectrum.d, int(k), x), bessel_quotient(spectrum.d, int(k), 2 * x)
        out = out + spectrum.b[k] * (1 - 2 * once * twice + once**2)
    return out[()]


def unified_loss(spectrum: Spectrum, w: ArrayLike, n: ArrayLike, noise: float) -> Any:
    """The loss up to lower orders in Q(w)/n, ``B^2 + (Q/n)(V + sigma^2)``, with and without noise.
    Our R14 bounds the difference from the loss for every n, w and sigma.
    """
    share = effective_samples(spectrum.d, w) / np.asarray(n, dtype=float)
    return bias(spectrum, w) + share * (token_variance(spectrum, w) + noise)


def expansion_without_window(spectrum: Spectrum, n: int, noise: float) -> tuple[float, float]:
    """Slope a and curvature c of the loss without a window, ``loss(0) + a w + c w^2 + O(w^3)``,
    from the mean square R of what varies in a task and ``noise = sigma^2`` (our R13.window, which
    has c for b_1 = 0):

        a = -(4 b_1/d) (1 - 1/n),
        c = (4/(d n)) (1 - 1/n) [R + sigma^2 - 2 (n-2) b_2/(d+2)]
            + (4 b_1/d^2) (1 - 1/n) (1 - 4/n + 6/n^2).
    """
    d, N, (b_1, b_2) = spectrum.d, float(n), np.concatenate([spectrum.b, np.zeros(2)])[1:3].tolist()
    bracket = spectrum.varying + noise - 2 * (N - 2) * b_2 / (d + 2)
    pairs = b_1 / d * (1 - 4 / N + 6 / N**2)
    return -4 * b_1 / d * (1 - 1 / N), 4 / d * (1 - 1 / N) * (bracket / N + pairs)


def noise_constant(d: Any) -> Any:
    """The constant ``C_d = sqrt(2 pi) 2^{1-d/2}/Gamma(d/2)`` of ``Q(w) ~ C_d w^{(d-1)/2}``."""
    if isinstance(d, sp.Expr):
        return sp.simplify(sp.sqrt(2 * sp.pi) * 2 ** (1 - d / 2) / sp.gamma(d / 2))
    return math.sqrt(2 * math.pi) * 2 ** (1 - d / 2) / math.gamma(d / 2)


def curvature_law(d: Any, curvature: Any, whole: Any) -> Any:
    """The best width of a smooth class under noise, ``[Lambda lap_2/(4 (d-1) C_d)]^{2/(d+3)}`` with
    Lambda = n/sigma^2 and lap_2 the mean square of the Laplacian (our R14; R8 is the affine case).
    """
    return (whole * curvature / (4 * (d - 1) * noise_constant(d))) ** (
        sp.S(2) / (d + 3) if isinstance(d, sp.Expr) else 2 / (d + 3)
    )


def noiseless_law(d: int, curvature: float, slope: float, n: ArrayLike) -> Any:
    """The best width of a smooth class without noise, ``[n lap_2/((d-3) C_d G)]^{2/(d+1)}`` with
    ``G = (d-1) rho'(1)``. It needs d >= 4: below, the tokens nearest to the query decide.
    """
    if d < 4:
        raise ValueError(
            f"d = {d}: without noise the law holds for d >= 4; ask numerics.optimal_window for smaller "
            "dimensions"
        )
    return (np.asarray(n) * curvature / ((d - 3) * noise_constant(d) * (d - 1) * slope)) ** (2 / (d + 1))


def crossover_law(d: int, curvature: float, slope: float, n: float, noise: float) -> float:
    """The best width of a smooth class between noise and no noise, the minimiser of
    ``lap_2/(16 w^2) + (C_d w^{(d-1)/2}/n)(sigma^2 + G/(4w))``, for d >= 4, or any d with
    ``noise = sigma^2 > 0``.
    """
    C, G, p = noise_constant(d), (d - 1) * slope, (d - 1) / 2
    slope_of = lambda u: (
        -curvature / 8 * math.exp(-2 * u)
        + C / n * (p * noise * math.exp(p * u) + (p - 1) * G / 4 * math.exp((p - 1) * u))
    )
    return math.exp(float(brentq(slope_of, -40.0, 200.0 / (p + 1), xtol=1e-13)))


def relu_law(d: int, whole: Any) -> Any:
    """The best width of ReLU tasks under noise, ``[3 c_d Lambda/((d-1) C_d)]^{2/(d+2)}`` with
    ``Lambda = n L^2/sigma^2``; the kink makes the bias ``c_d L^2 w^{-3/2}`` (our R8).
    """
    kappa = 4 / 3 * (2 - math.sqrt(2)) / math.sqrt(math.pi)
    p0 = math.gamma(d / 2) / (math.sqrt(math.pi) * math.gamma((d - 1) / 2))
    c = kappa * p0 / (6 * 2**1.5)
    return (3 * c * np.asarray(whole) / ((d - 1) * noise_constant(d))) ** (2 / (d + 2))


def exponent(d: Any, theta: Any) -> Any:
    """The exponent of Lambda in the best width under noise, ``2/(d-1+2 min(theta, 2))``, for a
    class whose coefficients fall like ``k^{-1-2 theta}``; at theta = 2 with a logarithm (our R16).
    Smooth classes have 2/(d+3), ReLU (theta = 3/2) 2/(d+2).
    """
    return 2 / (d - 1 + 2 * min(theta, 2))


def regret(r: Any, s: Any, p: Any) -> Any:
    """What the loss of a window learned for the constant L on tasks of r L, over that of the best
    window, tends to, ``(r^2 + s/p)/((1 + s/p) r^{2p/(s+p)})``, for a bias ``w^{-s}`` (s = 2 for
    smooth classes, 3/2 for ReLU) and a noise ``w^p``, p = (d-1)/2. Our R15, where the noise
    dominates at both slopes and Lambda grows; before the limit the quotient may be larger.
    """
    ratio = sp.Rational(s) / sp.Rational(p) if isinstance(r, sp.Expr) else s / p
    return (r**2 + ratio) / ((1 + ratio) * r ** (2 / (1 + ratio)))
