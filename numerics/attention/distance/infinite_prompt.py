"""The linear attention ``V Gamma U z``, the limit T of softmax attention for infinite prompts,
which it is for Gaussian tokens, and how far the two are apart.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.setting import AttentionSetting

__all__ = ["Infinite", "Known", "infinite_prompt"]

Floats = NDArray[np.float64]
#: Queries drawn where the limit is no closed form on average over them, and their seed.
QUERIES, SEED = 4096, 0
#: Rounding errors, with room to spare: of products of matrices as shares of the product of the
#: absolute values, and of tilted means as shares of the deviations of the tokens.
ROUNDING, ROUNDING_OF_MEANS = 1e-12, 1e-14


class Known(NamedTuple):
    """A number and its standard error, 0 where it is exact."""

    value: float
    error: float = 0.0

    def beyond(self, tolerance: float) -> bool:
        """Whether it is larger, by five standard errors where it is sampled."""
        return self.value - 5 * self.error > tolerance


class Infinite(NamedTuple):
    """The limit for infinite prompts, on average over the query if that is random."""

    #: ``E|V Gamma U z|^2``; exactly 0 where it vanishes but for rounding.
    linear: float
    #: ``E|T|^2``; exactly 0 where the limit vanishes but for rounding.
    size: Known
    #: ``E|T - V Gamma U z|^2``.
    off_linear: Known
    #: ``E|V Gamma U z + Vm|^2``, m the mean that was taken out of the tokens.
    with_mean: float


def infinite_prompt(setting: AttentionSetting, mean: Floats | None = None) -> Infinite:
    """Size of the limit, and its distance from linear attention, after `mean` (zero by default) was
    taken out of the tokens. A law without log-mgf is refused: its infinite prompt is not known. For
    tokens +1 or -1 T = tanh(1) and linear attention is 1:

    >>> from numerics.token_laws import rademacher
    >>> one = np.eye(1)
    >>> found = infinite_prompt(AttentionSetting(rademacher(1), one, one, [1.0]))
    >>> round(found.size.value, 6), round(found.off_linear.value, 6)
    (0.580026, 0.056837)
    """
    V, M = setting.V, setting.Gamma @ setting.U
    shift = V @ (np.zeros(setting.d) if mean is None else mean)
    noise = ROUNDING * np.abs(setting.Gamma) @ np.abs(setting.U)
    outputs = V @ M @ setting.query_factor
    linear = _unless_noise(_square(outputs), _square(np.abs(V) @ noise @ np.abs(setting.query_factor)))
    # linear in the query: on average over centred ones nothing is left of mixed terms
    with_mean = linear + _square(shift) if setting.averaged else _square(outputs[:, 0] + shift)
    if not math.isfinite(with_mean):
        raise ValueError(
            "the mean of the tokens makes the output leave the range of floats; choose other units"
        )
    if setting.gaussian:
        return Infinite(linear, Known(linear), Known(0.0), with_mean)
    queries = _queries(setting)
    h = setting.law.tilted_mean(queries @ setting.U.T)
    off = np.abs(queries) @ noise.T + ROUNDING_OF_MEANS * np.sqrt(np.diag(setting.Gamma))
    floor = _square(off @ np.abs(V).T) / len(h)
    size, off_linear = (_mean_square(x @ V.T) for x in (h, h - queries @ M.T))
    return Infinite(
        linear=linear,
        size=size if _unless_noise(size.value, floor) else Known(0.0),
        off_linear=off_linear if _unless_noise(off_linear.value, floor) else Known(0.0),
        with_mean=with_mean,
    )


def _queries(setting: AttentionSetting) -> Floats:
    """The query, or a sample of it with every draw beside its opposite."""
    if not setting.averaged:
        return setting.query[None, :]
    x = np.random.default_rng(SEED).standard_normal((QUERIES // 2, setting.query_factor.shape[1]))
    return np.asarray(np.concatenate([x, -x]) @ setting.query_factor.T)


def _square(M: Floats) -> float:
    """The squared Frobenius norm."""
    with np.errstate(over="ignore"):
        return float(np.sum(M**2))


def _unless_noise(square: float, floor: float) -> float:
    """A sum of squares, or 0 if rounding can make up all of it."""
    return 0.0 if square <= floor else square


def _mean_square(T: Floats) -> Known:
    """The mean of |T|^2 over the queries, and its standard error; opposite draws count as one."""
    squares = np.sum(T**2, axis=1)
    if len(squares) == 1:
        return Known(float(squares[0]))
    pairs = squares.reshape(2, -1).mean(axis=0)
    return Known(float(pairs.mean()), float(pairs.std(ddof=1) / math.sqrt(pairs.size)))
