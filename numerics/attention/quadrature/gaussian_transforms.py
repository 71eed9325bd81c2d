"""The Laplace transforms from which every moment of the softmax weights of Gaussian scores is made,
on a grid of the integration variable, for `numerics.attention.quadrature.softmax_weights`.

For r = eᵛ, scores √s g and g standard normal these are the functions

    m_{k,j}(v) = E gʲ φ_k(v + √s g),   φ_k(x) = exp(kx − eˣ),   m₀(v) = E exp(−e^{v + √s g}).

They are integrals of analytic functions, and trapezoid sums give them to rounding.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "Key", "LaplaceTransforms", "laplace_transforms", "log_complement", "products_of_sums"]

Array = NDArray[np.float64]
Block = tuple[int, int]  # (k, j): Σ p^k g^j over tokens, or the function m_{k,j}
Key = tuple[Block, ...]  # a product of such sums
#: Step of both trapezoid sums: exp(−π²/STEP) = 3e-20, and (2π/STEP)^{7/2} = 1e5 times as much for
#: φ₄.
STEP = 0.22
#: Factor of STEP for functions beyond φ₄: up to φ₈ the error is (2π/step)^{15/2}/7! exp(−π²/step) =
#: 3e-16.
FINER = 0.82
#: Value of √s below which the Gaussian is narrower than a step, so that sums are over its own
#: variable g.
NARROW = 0.5
#: Step of the sums over g.
GAUSS_STEP = 0.4
#: Value of √s from which on the step in v grows with √s, so that the cost stays bounded as s → ∞.
WIDE = 64.0
#: Integrands are followed until they are e^{-CUT} of their maximum.
CUT = 40.0
#: Beyond this x every φ_k is below 1e-27 of its maximum.
X_END = 4.4


class LaplaceTransforms(NamedTuple):
    """The functions m_{k,j} on an equidistant grid of v."""

    start: float
    step: float
    #: log m₀, to full relative accuracy.
    log_m0: Array
    m: dict[Block, Array]


def _merged(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The ways in which factors of a product of sums may fall on the same tokens: for every
    partition of the factors the sums of its parts.
    """
    if not blocks:
        yield []
        return
    (k, j), rest = blocks[0], blocks[1:]
    for parts in _merged(rest):
        yield [(k, j), *parts]
        for i, (a, b) in enumerate(parts):
            yield [*parts[:i], (a + k, b + j), *parts[i + 1 :]]


class _Sums(NamedTuple):
    """The integrals over products of j functions: of which functions, and the coefficient of each
    integral in the mean of each key.
    """

    j: int
    functions: NDArray[np.intp]  # (n_integrals, j), into the list of blocks
    coefficients: Array  # (n_keys, n_integrals)


@cache
def products_of_sums(keys: tuple[Key, ...]) -> tuple[tuple[Block, ...], tuple[_Sums, ...]]:
    """The functions m_{k,j} that the keys need, and their integrals by the number of factors."""
    terms = [Counter(tuple(sorted(parts)) for parts in _merged(key)) for key in keys]
    integrals = sorted({parts for found in terms for parts in found})
    blocks = sorted({block for parts in integrals for block in parts})
    sums = []
    for j in sorted({len(parts) for parts in integrals}):
        these = [parts for parts in integrals if len(parts) == j]
        functions = np.array([[blocks.index(block) for block in parts] for parts in these])
        orders = [math.factorial(sum(k for k, _ in key) - 1) for key in keys]
        coefficients = np.array(
            [[found[parts] / order for parts in these] for found, order in zip(terms, orders)]
        )
        sums.append(_Sums(j, functions, coefficients))
    return tuple(blocks), tuple(sums)


def laplace_transforms(s: float, log_L: float, keys: Iterable[Key]) -> LaplaceTransforms:
    """m₀ and the m_{k,j} that `mean_products` needs for the keys, products of sums of order 2 to 8
    in the weights, on the range of v that matters for every length up to e^{log_L}.
    """
    return _laplace(math.sqrt(s), log_L, products_of_sums(tuple(keys))[0])


def _laplace(tau: float, log_L: float, blocks: Sequence[Block]) -> LaplaceTransforms:
    """The functions for √s = tau, on the range of v that matters up to the length e^{log_L}."""
    # The left end of the range: for 0 <= θ <= 2, L m₂(v) <= L E e^{θ(v + √s g)} = L exp(θv +
    # θ²s/2). Left of v_lo the best θ puts this below e^{-CUT}/L, while P₂ >= 1/L.
    order = max(k for k, _ in blocks)
    step = STEP if order <= 4 else FINER * STEP
    rare = 2 * log_L + CUT
    v_lo = -(rare / 2 + tau * tau) if 2 * tau * tau <= rare else -tau * math.sqrt(2 * rare)
    v_hi = X_END + tau * math.sqrt(2 * CUT)
    with np.errstate(under="ignore"):
        return (
            _narrow(tau, v_lo, v_hi, step, blocks)
            if tau < NARROW
            else _broad(tau, v_lo, v_hi, step, log_L, blocks)
        )


def _narrow(tau: float, v_lo: float, v_hi: float, step: float, blocks: Sequence[Block]) -> LaplaceTransforms:
    """The functions by sums over g itself. A tilt by e^{k√s g} moves the mass of g to k√s, and the
    nodes reach that far.
    """
    v = step * np.arange(math.floor(v_lo / step), math.ceil(v_hi / step) + 1)
    end, shift = math.sqrt(2 * CUT), max(k for k, _ in blocks) * tau
    g = GAUSS_STEP * np.arange(math.floor(-end / GAUSS_STEP), math.ceil((end + shift) / GAUSS_STEP) + 1)
    density = GAUSS_STEP / math.sqrt(2 * math.pi) * np.exp(-g * g / 2)
    X = np.exp(np.minimum(v[:, None] + tau * g, 6.0))  # beyond x = 6, exp(−eˣ) is 0 to all digits anyway
    decay = np.exp(-X)
    q, m0 = -np.expm1(-X) @ density, decay @ density
    m, power, reached = {}, decay, 0
    for k, j in blocks:
        for _ in range(k - reached):
            power = power * X
        reached = k
        m[k, j] = power @ (density * g**j)
    return LaplaceTransforms(float(v[0]), step, log_complement(q, m0), m)


def _broad(
    tau: float, v_lo: float, v_hi: float, step: float, log_L: float, blocks: Sequence[Block]
) -> LaplaceTransforms:
    """The functions by sums over x = v + √s g. Integration by parts puts m₀ into the same form: 1 −
    m₀(v) = ∫ φ₁(x) Φ((v − x)/√s) dx.
    """
    from scipy.special import ndtr

    # The integrand of 1 − m₀ at v_lo is largest at x = v_lo + s, or at 0 if that is positive. For
    # large v it falls like eˣ only, and (L − 1)(1 − m₀) must be right to e^{-CUT}.
    peak, reach = v_lo + tau * tau, math.sqrt(2 * CUT) * tau
    half = peak / 2 + math.hypot(peak / 2, reach / 2)  # halved, lest it overflow at the largest s
    x_lo = min(peak - reach, -(log_L + CUT)) if peak < 0 else -reach / 2 * (reach / half)
    x = step * np.arange(math.floor(x_lo / step), math.ceil(X_END / step) + 1)
    decay, orders = np.exp(x), {1, *(k for k, _ in blocks)}
    phi = {k: step * np.exp(k * x - decay) for k in orders}
    norm = 1 / (math.sqrt(2 * math.pi) * tau)
    if tau < WIDE:  # one grid for v and x: the kernels depend on x − v only, and the sums are convolutions
        n_v = math.ceil((v_hi - v_lo) / step) + 1
        start = math.floor(v_lo / step) * step
        lags = (x[0] - start + step * np.arange(-(n_v - 1), x.size)) / tau
        against = lambda kernel, f: np.convolve(kernel, f[::-1], mode="valid")[::-1]
        v_step = step
    else:
        # The largest score fluctuates by √s/√(2 log L): on that scale the integrand varies in v.
        v_step = step * tau / (math.sqrt(2 * log_L) + 3)
        start = v_lo
        v = start + v_step * np.arange(math.ceil((v_hi - v_lo) / v_step) + 1)
        lags = (x - v[:, None]) / tau
        against = lambda kernel, f: kernel @ f
    gauss, below, above = norm * np.exp(-lags * lags / 2), ndtr(lags), ndtr(-lags)
    kernels = {j: gauss * lags**j if j else gauss for j in {j for _, j in blocks}}
    m = {(k, j): against(kernels[j], phi[k]) for k, j in blocks}
    return LaplaceTransforms(start, v_step, log_complement(against(above, phi[1]), against(below, phi[1])), m)


def log_complement(q: Array, m0: Array) -> Array:
    """The logarithm of m₀ from q = 1 − m₀ and m₀, to full relative accuracy.

    It is computed from whichever of the two is small, since the other has lost the digits. Where m₀
    underflows it stays finite, so that 0 · log m₀ is 0.
    """
    return np.where(q < 0.5, np.log1p(-np.minimum(q, 0.5)), np.log(np.maximum(m0, 1e-300)))
