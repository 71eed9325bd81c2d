"""The checks that a law of tokens passes when it is made.

They are cheap and deterministic; whether the sub-Gaussian parameter is true takes a search, which
`numerics.token_laws.check_variance_proxy` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.token_laws.tilted_by_cauchy import scale_of
from numerics.token_laws.weighted_nodes import WeightedNodes
from theory.inputs.arrays import read_arrays
from theory.inputs.whole_numbers import read_whole

__all__ = [
    "DIMENSION",
    "KINDS",
    "checked_covariance",
    "checked_cubature",
    "checked_factor",
    "checked_numbers",
    "checked_sampler",
    "checked_transform",
]

Floats = NDArray[np.float64]
#: How an error about a dimension ends.
DIMENSION = "tokens live in R^d with d >= 1"
#: Coordinates that compiled kernels know by name; each has mean zero and covariance I.
KINDS = ("normal", "sign", "uniform", "sphere", "ball")
#: A mean, in units of the size of a token, and a gap in the Cauchy-Riemann equations that pass for
#: rounding and truncation.
MEAN_TOLERANCE, CAUCHY_RIEMANN_TOLERANCE = 1e-6, 1e-3
#: The largest sigma whose powers stay in the range of floats.
LARGEST_SIGMA = 1e100
#: Relative error of a variance that is computed from a thousand quantiles.
QUANTILE_TOLERANCE = 0.05
#: Relative rounding of masses, mean and variance proxy of nodes.
NODE_TOLERANCE = 1e-9


def checked_numbers(name: str, d: int, sigma: float) -> tuple[int, float]:
    """Return d and sigma as plain numbers, after checking that they and the name are sensible."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"name = {name!r} is no text; give the law a name for messages and reports")
    dimension = read_whole("d", d, DIMENSION)
    (size,) = read_arrays(sigma=(sigma, ""))
    if size > LARGEST_SIGMA:
        raise ValueError(
            f"sigma = {sigma} is beyond {LARGEST_SIGMA:g}, where squares leave the range of floats; choose "
            "other units"
        )
    if size < 0:
        raise ValueError(f"sigma = {sigma} is negative; it is the root of a variance proxy")
    return dimension, float(size)


def checked_sampler(sample: Callable[[np.random.Generator, int], Floats], d: int) -> None:
    """Check shape and kind of a few tokens, and that they depend on the given generator alone."""
    if not callable(sample):
        raise TypeError(
            f"sample = {sample!r} cannot be called; it is a function sample(rng, n) that returns n tokens"
        )
    n, drawn = d + 1, []
    for _ in range(2):
        try:
            tokens = np.asarray(sample(np.random.default_rng(0), n))
        except Exception as error:
            raise ValueError(
                f"sample(rng, {n}) failed with {error!r}; it must return {n} tokens, an array ({n}, {d})"
            ) from error
        if tokens.shape != (n, d) or tokens.dtype.kind != "f" or not np.isfinite(tokens).all():
            raise ValueError(
                f"sample(rng, {n}) returned an array of shape {tokens.shape} and kind {tokens.dtype}; it "
                f"must return {n} tokens in R^{d}, finite floats of shape ({n}, {d})"
            )
        drawn.append(tokens)
    if not np.array_equal(drawn[0], drawn[1]):
        raise ValueError(
            "sample gave different tokens for the same rng; draw all randomness from the rng that it is given"
        )


def checked_factor(coordinates: Any, factor: Any, d: int) -> tuple[Floats | None, float]:
    """The factor, read-only, the identity by default, and the variance of the coordinates."""
    if coordinates is None:
        if factor is not None:
            raise ValueError(
                f"a factor without coordinates says nothing; give coordinates, one of {KINDS} or a quantile "
                "function"
            )
        return None, 0.0
    variance = 1.0
    if isinstance(coordinates, str):
        if coordinates not in KINDS:
            raise ValueError(
                f"coordinates = {coordinates!r} is none of {KINDS}; for others pass a compiled quantile "
                "function"
            )
    elif not callable(coordinates) or not hasattr(coordinates, "py_func"):
        raise TypeError(
            f"coordinates = {coordinates!r:.200} is not compiled; pass numba.njit(quantile), or one of "
            f"{KINDS}"
        )
    else:
        variance = _variance_of_quantiles(coordinates.py_func)
    (read,) = read_arrays(factor=(np.eye(d) if factor is None else factor, "d r"))
    if read.shape[0] != d:
        raise ValueError(f"factor has shape {read.shape}, but tokens live in R^{d}; it needs {d} rows")
    read = read.copy()
    read.flags.writeable = False
    return read, variance


def _variance_of_quantiles(quantile: Callable[[Any], Any]) -> float:
    u = ((np.arange(1000) + 0.5) / 1000).astype(np.float32)
    try:
        x = np.array([float(quantile(v)) for v in u])
    except Exception as error:
        raise ValueError(
            f"the quantile function failed with {error!r}; it maps a float32 in (0, 1) to a number"
        ) from error
    if not np.isfinite(x).all() or (np.diff(x) < -1e-5 * np.abs(x).max()).any():
        raise ValueError("coordinates is no quantile function; it must be finite and not decrease on (0, 1)")
    if abs(x.mean()) > 0.02 * x.std():
        raise ValueError(
            f"the quantile function has mean {x.mean():.3g}; coordinates are centred, so subtract the mean"
        )
    return float(x.var())


def checked_covariance(coordinates: Any, factor: Floats, variance: float, covariance: Floats) -> None:
    """Check that compiled kernels draw tokens with the covariance that log_mgf has."""
    gap = float(np.abs(variance * factor @ factor.T - covariance).max())
    if gap > (1e-6 if isinstance(coordinates, str) else QUANTILE_TOLERANCE) * float(np.abs(covariance).max()):
        raise ValueError(
            f"factor and coordinates have a covariance that differs by {gap:.3g} from the one that log_mgf "
            "has; named coordinates have covariance I; scale the factor, or correct log_mgf"
        )


def checked_cubature(cubature: Any, d: int, sigma: float) -> None:
    """Check that nodes and masses are a centred law on R^d with the variance proxy sigma^2."""
    if not isinstance(cubature, WeightedNodes):
        raise TypeError(
            f"cubature = {cubature!r:.200} is no WeightedNodes; make one of nodes (k, {d}), masses (k,) and "
            "sigma2"
        )
    nodes, masses = read_arrays(nodes=(cubature.nodes, "k d"), masses=(cubature.masses, "k"))
    if nodes.shape[1] != d:
        raise ValueError(
            f"the nodes have shape {nodes.shape}, but tokens live in R^{d}; each node needs {d} entries"
        )
    if not (masses >= 0).all() or abs(masses.sum() - 1) > NODE_TOLERANCE:
        raise ValueError(
            f"the masses of the nodes add up to {masses.sum()}, the least is {masses.min()}; they are a "
            "probability"
        )
    if np.abs(masses @ nodes).max() > NODE_TOLERANCE * max(np.abs(nodes).max(), sigma):
        raise ValueError(
            f"the nodes have the mean {(masses @ nodes).tolist()!r:.200}; tokens are centred, so subtract it"
        )
    if abs(float(cubature.sigma2) - sigma**2) > NODE_TOLERANCE * sigma**2:
        raise ValueError(
            f"sigma2 = {cubature.sigma2} of the nodes is not sigma^2 = {sigma**2}; give both the same "
            "parameter"
        )


def checked_transform(log_mgf: Callable[[NDArray[Any]], NDArray[Any]], d: int) -> None:
    """Check shapes, value and slope at 0, and the Cauchy-Riemann equations at two points."""
    if not callable(log_mgf):
        raise TypeError(f"log_mgf = {log_mgf!r} cannot be called; it is a function of a, or None if unknown")
    with np.errstate(all="ignore"):
        at_zero = _call(log_mgf, np.zeros((2, 3, d)), (2, 3)).flat[0]
        if not abs(at_zero) < 1e-9:
            hint = "" if np.isfinite(at_zero) else "; fill the removable singularity"
            raise ValueError(f"log_mgf(0) = {at_zero}, but ln E exp(0) = 0{hint}")
        axes = np.eye(d)
        _call(log_mgf, axes, (d,))
        scale = scale_of(log_mgf, d)
        reach = (1 / scale if scale else 1.0) * np.concatenate([axes, -axes])
        K = _call(log_mgf, reach, (2 * d,)).real
        sums = K[:d] + K[d:]
        if (sums < -1e-9).any() or (scale == 0 and not np.abs(K).max() <= 1e-9):
            i = int(np.argmin(sums))
            raise ValueError(
                f"ln E e^(a.Z) + ln E e^(-a.Z) is {sums[i]:.3g} for a along axis {i} at |a| = "
                f"{np.abs(reach).max():.3g}, and ln E e^(a.Z) is {K[i]:.3g}; centred tokens have a sum "
                "above 0, or both 0: look for a wrong sign in log_mgf, or a mean"
            )
        if scale == 0:
            return
        slopes = []
        for step in (0.01 / scale, 0.02 / scale):
            K = _call(log_mgf, step * np.concatenate([axes, -axes]), (2 * d,)).real
            slopes.append((K[:d] - K[d:]) / (2 * step))
        mean = (4 * slopes[0] - slopes[1]) / 3  # Richardson's rule removes the third cumulant
        if not np.abs(mean).max() <= MEAN_TOLERANCE * scale:
            i = int(np.abs(mean).argmax())
            raise ValueError(
                f"log_mgf has slope {mean[i]:.3g} at 0 along axis {i}, the mean of the law; tokens are "
                "centred: subtract the mean from the sample, and a.mean from log_mgf"
            )
        points = 0.7 / scale * np.cos(np.arange(1, 2 * d + 1)).reshape(2, d)  # two points without symmetry
        step = 0.003 / scale
        nudge = np.full(d, step / math.sqrt(d))
        turned = _call(log_mgf, points + 1j * nudge, (2,))
        value, right, left = (_call(log_mgf, points + k * nudge, (2,)).real for k in (0, 1, -1))
    if not np.iscomplexobj(turned):
        raise ValueError(
            "log_mgf returned real numbers for complex a; it is used off the real axis, so write it without "
            "abs, .real or norms: (a * a).sum(-1), np.log(np.cosh(a)). Leave it out if only real values are "
            "known"
        )
    slope = (right - left) / (2 * step) - np.angle(np.exp(1j * turned.imag)) / step
    curvature = (right - 2 * value + left) / step**2 + 2 * (turned.real - value) / step**2
    gap = float(max(np.abs(slope).max() / scale, np.abs(curvature).max() / scale**2))
    if not gap <= CAUCHY_RIEMANN_TOLERANCE:
        raise ValueError(
            "log_mgf is not analytic: its derivatives along the real and the imaginary axis differ by "
            f"{gap:.2g} in units of a token's size; write it without abs, .real, conj or norms of a"
        )


def _call(
    log_mgf: Callable[[NDArray[Any]], NDArray[Any]], a: NDArray[Any], shape: tuple[int, ...]
) -> NDArray[Any]:
    kind = "complex" if np.iscomplexobj(a) else "real"
    try:
        value = np.asarray(log_mgf(a))
    except Exception as error:
        raise ValueError(
            f"log_mgf failed with {error!r} for {kind} a of shape {a.shape}; it maps arrays (..., d), real "
            "or complex, to (...)"
        ) from error
    if value.shape != shape or value.dtype.kind not in "fc":
        raise ValueError(
            f"log_mgf returned shape {value.shape} and kind {value.dtype} for a of shape {a.shape}; {shape} "
            "is needed"
        )
    return value
