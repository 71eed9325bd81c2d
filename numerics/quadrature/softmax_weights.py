"""Moments of the softmax weights of Gaussian scores, by quadrature: exact to rounding, for every
prompt length at once.

Let p = softmax(√s g₁, …, √s g_L) with independent standard normal g, π_k = Σ p_iᵏ and π_{k,j} = Σ
p_iᵏ g_iʲ. From 1/Xᵏ = ∫ r^{k-1} e^{-rX} dr / (k-1)! with r = eᵛ and X = Σ e^{√s g_i}, every moment
of them becomes one integral over v of products of

    m_{k,j}(v) = E gʲ φ_k(v + √s g),   φ_k(x) = exp(kx − eˣ),   m₀(v) = E exp(−e^{v + √s g}),

with m₀ taken to the powers L − 1, L − 2, … The functions m_{k,j} do not depend on L. All integrands
are analytic in the strip |Im| < π/2, so that trapezoid sums converge like exp(−π²/step). For j = 0
they are positive, and no digits are lost to cancellation, however small the moment is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LaplaceTransforms",
    "SoftmaxMoments",
    "check_lengths",
    "laplace_transforms",
    "log_complement",
    "mean_products",
    "products_of_sums",
    "softmax_moments",
]

Array = NDArray[np.float64]
Block = tuple[int, int]  # (k, j): Σ p^k g^j over tokens, or the function m_{k,j}
Key = tuple[Block, ...]  # a product of such sums
SECOND_ORDER: tuple[Key, ...] = (((2, 0),), ((3, 0),), ((2, 0), (2, 0)))  # P2, P3 and Q

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
#: Largest prompt length.
LARGEST_LENGTH = 1e100
#: Lengths whose ratio is at most this are summed over together.
GROUP_RATIO = 1e60
#: Up to this number of lengths of one s the moments are kept for the next call.
FEW_LENGTHS = 16


class SoftmaxMoments(NamedTuple):
    """The three moments that the second-order theory of Gaussian tokens needs; each has the
    broadcast shape of s and L.

    Attributes
    ----------
    P2, P3, Q : float or ndarray
        E Σ p_i², E Σ p_i³ and E (Σ p_i²)² of the softmax weights p.
    """

    P2: float | Array
    P3: float | Array
    Q: float | Array


class LaplaceTransforms(NamedTuple):
    """The functions m_{k,j} on an equidistant grid of v.

    Attributes
    ----------
    start, step : float
        The grid.
    log_m0 : ndarray of shape (n,)
        log m₀, to full relative accuracy.
    m : dict of (k, j) to ndarray of shape (n,)
    """

    start: float
    step: float
    log_m0: Array
    m: dict[Block, Array]


def softmax_moments(s: ArrayLike, L: ArrayLike) -> SoftmaxMoments:
    """P₂ = E Σ p_i², P₃ = E Σ p_i³ and Q = E (Σ p_i²)² for the softmax p of L independent N(0, s)
    scores.

    With s = (Uz)ᵀΓ(Uz) these give the exact first and second moments of the error of softmax
    attention on Gaussian tokens.

    Parameters
    ----------
    s : array_like
        Variance of the scores, finite and at least 0.
    L : array_like
        Prompt length: whole numbers from 1 to 1e100, as int or float. It broadcasts against `s`;
        all lengths that share one `s` cost little more than the largest of them.

    Returns
    -------
    SoftmaxMoments
        Named tuple ``(P2, P3, Q)`` of floats if both arguments are scalars, else of arrays of the
        broadcast shape. The relative error is below 1e-12 for s <= 1000 against a table of 20-digit
        values; beyond, the same formulas are used with a step in proportion to √s, and all three
        tend to 1. ``s = 0`` and ``L = 1`` are exact.

    Raises
    ------
    TypeError
        If an argument is not real.
    ValueError
        If `s` is negative or not finite, if `L` is not a whole number from 1 to 1e100, or if the
        shapes do not broadcast.

    Notes
    -----
    The moments satisfy 1/L <= P₂ <= eˢ/(eˢ + L − 1), P₂² <= Q <= P₃ <= P₂ and
    ∂P₂/∂s = P₂ − 4P₃ + 3Q.

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
        lengths = L_[here]
        out[:, here] = (
            _cached_moments(float(value), lengths.tobytes(), STEP, CUT)
            if lengths.size <= FEW_LENGTHS
            else _moments(float(value), lengths)
        )
    P2, P3, Q = (float(row[0]) if shape == () else row.reshape(shape) for row in out)
    return SoftmaxMoments(P2, P3, Q)


def _real(name: str, value: ArrayLike) -> Array:
    """An array of real numbers as floats, or an error that names it."""
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
    """The variances of the scores, checked."""
    array = _real("s", s)
    bad = array[~(np.isfinite(array) & (array >= 0))]
    if bad.size:
        raise ValueError(f"s = {bad.flat[0]} is not the variance of a score; s = (Uz)'Gamma(Uz) is finite and at least 0")
    return array


def _length(L: ArrayLike) -> Array:
    """The prompt lengths, checked."""
    array = _real("L", L)
    check_lengths(array)
    return array


def check_lengths(lengths: Array) -> None:
    """Refuse numbers that are no prompt lengths.

    Raises
    ------
    ValueError
        If one is not a whole number from 1 to 1e100.
    """
    bad = lengths[~((lengths >= 1) & (lengths <= LARGEST_LENGTH) & (np.floor(lengths) == lengths))]
    if bad.size:
        raise ValueError(
            f"lengths contain {bad[0]:g}, which is no prompt length: a prompt has at least one token, and L is a whole number"
            " up to 1e100"
        )


@lru_cache(maxsize=2**13)
def _cached_moments(s: float, L: bytes, *accuracy: float) -> Array:
    """`_moments`, kept for searches that ask for the same lengths again, under everything that it
    depends on. The result must not be written to.
    """
    return _moments(s, np.frombuffer(L))


def _moments(s: float, L: Array) -> Array:
    """P2, P3 and Q in three rows, for one s and a vector of lengths."""
    equal = np.stack([1 / L, L**-2.0, L**-2.0])  # s = 0: all weights are 1/L
    if s == 0:
        return equal
    out = np.stack(list(mean_products(laplace_transforms(s, math.log(L.max()), SECOND_ORDER), L, SECOND_ORDER).values()))
    return np.where(L == 1, 1.0, np.minimum(out, 1.0))  # rounding must not lift a moment above 1


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
        coefficients = np.array([[found[parts] / order for parts in these] for found, order in zip(terms, orders)])
        sums.append(_Sums(j, functions, coefficients))
    return tuple(blocks), tuple(sums)


def mean_products(f: LaplaceTransforms, L: Array, keys: Iterable[Key]) -> dict[Key, Array]:
    """E[π_{k,j} π_{k',j'} …] for each key ((k, j), (k', j'), …) and each length.

    Parameters
    ----------
    f : LaplaceTransforms
        Of `laplace_transforms` for the same keys and for the largest length, or a larger one.
    L : ndarray of shape (n,)
    keys : iterable of tuples of (k, j)
        Of order 2 or more in the weights: an integrand of order 1 has a long tail, which the range
        of v cuts off.

    Returns
    -------
    dict of key to ndarray of shape (n,)

    Examples
    --------
    E Σ p g² = 1 for two tokens, since exchanging them changes the sign of (p₁ − 1/2)(g₁² − g₂²);
    the factor Σ p = 1 gives the key its order:

    >>> key = ((1, 2), (1, 0))
    >>> f = laplace_transforms(3.0, math.log(2), [key])
    >>> float(mean_products(f, np.array([2.0]), [key])[key][0].round(12))
    1.0
    """
    keys = tuple(keys)
    out, left = np.zeros((len(keys), L.size)), np.ones(L.shape, dtype=bool)
    with np.errstate(under="ignore"):
        while left.any():  # in groups of lengths so close that products of four functions stay in the range of floats
            top = float(L[left].max())
            group = left & (top <= L * GROUP_RATIO)
            out[:, group] = f.step * _integrals(f, L[group], top, keys)
            left &= ~group
    return dict(zip(keys, out))


def _integrals(f: LaplaceTransforms, L: Array, top: float, keys: tuple[Key, ...]) -> Array:
    """The integrals for lengths at most `top`, and not much below. The factors L are multiplied
    into the functions first, since L⁴ may exceed the range of floats.
    """
    blocks, sums = products_of_sums(keys)
    # Where L m_{k,j} is as large as the limit, a power of m₀ is 0 to all digits.
    table = np.clip(top * np.stack([f.m[block] for block in blocks]), -GROUP_RATIO * 1e10, GROUP_RATIO * 1e10)
    out = np.zeros((len(keys), L.size))
    for j, functions, coefficients in sums:
        products = table[functions].prod(axis=1)
        tokens = np.prod([np.maximum(1 - i / L, 0) for i in range(j)], axis=0)  # 0 where the prompt has fewer than j
        others = (tokens * (L / top) ** j)[:, None] * np.exp(np.maximum(L - j, 0)[:, None] * f.log_m0)
        out += coefficients @ (products @ others.T)
    return out


def laplace_transforms(s: float, log_L: float, keys: Iterable[Key]) -> LaplaceTransforms:
    """m₀ and the m_{k,j} that `mean_products` needs for the keys, on the range of v that matters
    for every length up to e^{log_L}.

    Parameters
    ----------
    s : float
        Variance of the scores, positive.
    log_L : float
        Logarithm of the largest prompt length.
    keys : iterable of tuples of (k, j)
        Products of sums of order 2 to 8 in the weights.

    Returns
    -------
    LaplaceTransforms

    Examples
    --------
    >>> f = laplace_transforms(1.0, math.log(10), [((2, 0),)])
    >>> bool(f.log_m0.max() < 0), sorted(f.m)
    (True, [(2, 0)])
    """
    return _laplace(math.sqrt(s), log_L, products_of_sums(tuple(keys))[0])


def _laplace(tau: float, log_L: float, blocks: Sequence[Block]) -> LaplaceTransforms:
    """The functions for √s = tau, on the range of v that matters up to the length e^{log_L}."""
    # For 0 <= θ <= 2, L m₂(v) <= L E e^{θ(v + √s g)} = L exp(θv + θ²s/2). Left of v_lo the best θ
    # puts this below e^{-CUT}/L, while P₂ >= 1/L.
    order = max(k for k, _ in blocks)
    step = STEP if order <= 4 else FINER * STEP
    rare = 2 * log_L + CUT
    v_lo = -(rare / 2 + tau * tau) if 2 * tau * tau <= rare else -tau * math.sqrt(2 * rare)
    v_hi = X_END + tau * math.sqrt(2 * CUT)
    with np.errstate(under="ignore"):
        return _narrow(tau, v_lo, v_hi, step, blocks) if tau < NARROW else _broad(tau, v_lo, v_hi, step, log_L, blocks)


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


def _broad(tau: float, v_lo: float, v_hi: float, step: float, log_L: float, blocks: Sequence[Block]) -> LaplaceTransforms:
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
    else:  # the largest score fluctuates by √s/√(2 log L): that is the scale on which the integrand over v varies
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
