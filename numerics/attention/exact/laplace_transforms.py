"""Laplace transforms of softmax weights, for any law of tokens whose moment generating function is
known, by Mellin-Barnes integrals.

With w = e^{b.g} / E e^{b.g}, b.g the score of a token, the errors of attention at one query are
integrals over r of products of m_k[f](r) = r^k E[f(g) w^k e^{-rw}] and m_0(r) = E e^{-rw}. Since
e^{-x} = (1/2 pi i) int Gamma(z) x^{-z} dz, the mean under the law, in any dimension, becomes one
integral along a vertical line of the complex plane:

    m_k[f](r) = (1/2 pi i) int Gamma(z + k) r^{-z} E[f(g) w^{-z}] dz,

where E[f w^{-z}] is a derivative of the moment generating function at a complex point. The poles at
z = -k, -k - 1, ... have the terms of the Taylor series in r as residues. A line to the left of some
of them gives the remainder of that series; so 1 - m_0, and m_1[f] of an f with mean zero under the
tilted law, keep their relative accuracy as r -> 0. For each r that line is used on which the
integrand is smallest. Laws on finitely many points need no integral.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exact.tilted_moments import AtomicMoments, TiltedMoments
from numerics.attention.quadrature.gaussian_transforms import log_complement

__all__ = ["STEP", "LawTransforms", "law_transforms", "transform_grid"]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

#: Step of the trapezoid sums over v = log r, the same for the two rules, whose nodes interlace.
STEP = 0.2
#: Integrands are followed until they are e^{-CUT} of their maximum.
CUT = 40.0
#: Number of unit intervals to the left of zero in which lines of integration are tried.
INTERVALS_LEFT = 6
#: Largest abscissa of a line, and the step of the finite differences of the log-mgf.
LARGEST_ABSCISSA, DIFFERENCE_STEP = 100.0, 0.05
ORDERS = range(5)
#: Largest standard deviation of the scores under a tilt of the law.
LARGEST_DEVIATION = 32.0


@dataclass(frozen=True, eq=False)
class LawTransforms:
    """The functions m_k on an equidistant grid of v = log r."""

    v: Floats
    #: To full relative accuracy, shape (n,).
    log_m0: Floats
    #: ``m[k]`` (n, size), k = 1 to 4, of the functions of a `Basis`; ``m[1]`` has them about their
    #: tilted means, apart from the first, and ``m[0]`` is empty.
    m: Sequence[Floats]

    def log_ways(self, L: Floats, j: int) -> Floats:
        """The logarithms of L ... (L - j + 1) m_0^{L - j}, shape (lengths, n)."""
        with np.errstate(divide="ignore"):
            ways = np.sum([np.log(np.maximum(L - i, 0)) for i in range(j)], axis=0)
        return np.asarray(ways[:, None] + (L - j)[:, None] * self.log_m0)

    def integral(self, L: Floats, j: int, term: Floats) -> Floats:
        """The integral of L ... (L - j + 1) m_0^{L - j} times a term, for every length. Factors are
        added as logarithms, since L^4 may exceed the range of floats.
        """
        ways = self.log_ways(L, j)
        with np.errstate(divide="ignore", under="ignore"):
            log_term = ways.reshape(ways.shape + (1,) * (term.ndim - 1)) + np.log(np.abs(term))
            return np.asarray(STEP * (np.sign(term) * np.exp(log_term)).sum(axis=1))


def transform_grid(moments: TiltedMoments, log_L: float, rule: int = 0) -> Floats:
    """The nodes v of one of two interlacing rules, 0 or 1, on the range in which integrands are not
    negligible for prompts of 2 to e^{log_L} tokens.
    """
    size = lambda t: moments.log_mgf(t) - t * moments.log_mgf(np.ones(1))
    t = np.linspace(0.125, 2.0, 16)
    # m_2 is at most E w^t r^t, while a mean squared error is about 1/L or more.
    lowest = float(((-CUT - 2 * log_L - size(t)) / t).max())
    c = np.geomspace(0.125, 64.0, 48)
    ceiling = size(-c) + (c + 4) * (np.log(c + 4) - 1)  # of r^c m_k
    highest = float(np.nanmin((CUT / 2 + ceiling) / c))
    return np.asarray(
        lowest + STEP * (np.arange(math.ceil((highest - lowest) / STEP)) + rule / 2), dtype=float
    )


def law_transforms(moments: TiltedMoments, v: Floats, rule: int = 0) -> LawTransforms:
    """Evaluate the functions m_k on a grid of v = log r. The rules 0 and 1 share neither lines of
    integration nor nodes on them.
    """
    if isinstance(moments, AtomicMoments):
        return _sums(moments, v)
    weights, series = _Weights(moments), _Series(moments)
    lines = _lines(weights, v[-1], rule)
    noise = np.stack([series.noise(k, lines, weights.size(-lines), v) for k in ORDERS])  # (orders, lines, n)
    left = (lines < 0)[:, None]
    inside, outside = (np.where(where, noise[0], np.inf).argmin(axis=0) for where in (left, ~left))
    best = [inside, *noise[1:].argmin(axis=1)]
    complement, m0 = np.zeros(v.size), np.zeros(v.size)
    m = [np.zeros((v.size, series.centre.size if k else 0)) for k in ORDERS]
    for i, c in enumerate(lines):
        wanted = [(k, np.flatnonzero(b == i)) for k, b in enumerate(best)]
        far = np.flatnonzero(outside == i)
        if not far.size and not any(rows.size for _, rows in wanted):
            continue
        line = _Line(weights, float(c), rule)
        for k, rows in wanted:
            if rows.size and k:
                m[k][rows] = line.integral(k, v[rows], series.centre if k == 1 else None) + series.sum(
                    k, c, v[rows]
                )
            elif rows.size:
                complement[rows] = -(line.integral(0, v[rows])[:, 0] + series.sum(0, c, v[rows])[:, 0])
        if far.size:
            m0[far] = line.integral(0, v[far])[:, 0]
    return LawTransforms(v, log_complement(complement, m0), m)


def _sums(moments: AtomicMoments, v: Floats) -> LawTransforms:
    """The functions for a law on finitely many points, as sums over these.

    The functions f in m_1 have mean zero under the tilted law, so that e^{-rw} may be replaced by
    e^{-rw} - 1, whose terms are smaller for small r.
    """
    values, p, log_w = moments.values, moments.weights, moments.log_w
    x = np.exp(np.minimum(v[:, None] + log_w, 700.0))
    centre = (p * np.exp(log_w)) @ values
    centre[0] = 0.0
    decay, away = np.exp(-x), values - centre
    whole, less = p * x * decay, p * x * np.expm1(-x)
    m = [
        np.zeros((v.size, 0)),
        np.where(whole @ np.abs(away) < -less @ np.abs(away), whole @ away, less @ away),
    ]
    m += [(p * x**k * decay) @ values for k in (2, 3, 4)]
    return LawTransforms(v, log_complement(-np.expm1(-x) @ p, decay @ p), m)


class _Weights:
    """The moments E w^t of the weights, and the variance of the scores under tilts of the law."""

    def __init__(self, moments: TiltedMoments) -> None:
        self.moments = moments
        self.log_mgf_one = float(moments.log_mgf(np.ones(1))[0])
        self._t = np.arange(-LARGEST_ABSCISSA - 2, INTERVALS_LEFT + 2, DIFFERENCE_STEP)
        K = moments.log_mgf(self._t)
        with np.errstate(invalid="ignore"):
            second = np.nan_to_num(
                (K[2:] + K[:-2] - 2 * K[1:-1]) / DIFFERENCE_STEP**2, nan=0.0, posinf=0.0, neginf=0.0
            )
            self._slope = (K[2:] - K[:-2]) / (2 * DIFFERENCE_STEP) - self.log_mgf_one
        self._curvature = np.maximum(second, 0.0)

    def size(self, t: Floats) -> Floats:
        """The logarithm of E w^t."""
        size = self.moments.log_mgf(t) - t * self.log_mgf_one
        return np.where(np.isnan(size), np.inf, size)

    def slope(self, t: float) -> float:
        """The derivative of ln E w^t."""
        return float(np.interp(t, self._t[1:-1], self._slope))

    def curvature(self, low: float, high: float) -> float:
        """The largest variance of the scores under tilts from low to high."""
        ends = np.searchsorted(self._t[1:-1], [low, high])
        return float(self._curvature[ends[0] : max(ends[1], ends[0] + 1)].max())


class _Series:
    """The residues, which are terms of the Taylor series in r: without the terms that vanish, and
    without the 1 of m_0.
    """

    def __init__(self, moments: TiltedMoments) -> None:
        n = np.arange(INTERVALS_LEFT + 1.0)
        self.log_size = moments.log_mgf(n) - n * moments.log_mgf(np.ones(1))
        self.moments = moments.functions(n.astype(complex)).real  # E f w^n in units of e^{log_size}
        self.centre = self.moments[1] / self.moments[1, 0]
        self.centre[0] = 0.0

    def _log(self, k: int, c: float, v: Floats) -> tuple[NDArray[np.intp], Floats]:
        """The orders n of the terms, and the logarithms of r^n E w^n / (n - k)!."""
        from scipy.special import gammaln

        n = np.arange(max(k, 1) + (k == 1), math.floor(-c) + 1)
        return n, n * v[:, None] + self.log_size[n] - gammaln(n - k + 1.0)

    def noise(self, k: int, lines: Floats, sizes: Floats, v: Floats) -> Floats:
        """The logarithm of the largest number in the sums for every line, shape (lines, n):
        rounding errors are relative to it.
        """
        from scipy.special import gammaln

        out = (gammaln(lines + k) + sizes)[:, None] - lines[:, None] * v
        for i, c in enumerate(lines):
            n, terms = self._log(k, c, v) if c < 0 else (np.arange(0), v)
            if n.size:
                out[i] = np.maximum(out[i], terms.max(axis=1))
        return np.asarray(out)

    def sum(self, k: int, c: float, v: Floats) -> Floats:
        """The sum of the residues between the line at c and the first pole."""
        n, terms = self._log(k, c, v)
        moments = self.moments[n] - (self.moments[n, :1] * self.centre if k == 1 else 0.0)
        return np.asarray((np.exp(terms) * (-1.0) ** (n - k)) @ moments)


class _Line:
    """The integrand at the nodes c + iy of one line of integration."""

    def __init__(self, weights: _Weights, c: float, rule: int) -> None:
        from scipy.special import loggamma, polygamma

        self.c, digits = c, weights.moments.digits
        pole = min(-c - math.floor(-c), math.ceil(-c) + c) if c < 0 else c
        curvature = weights.curvature(-c - 1, -c + 1)
        smooth = curvature + float(polygamma(1, max(c, 0.5)))
        # A trapezoid sum with step 2 pi / X gives the sum over all whole j of e^{jcX} times the
        # value at r e^{jX}: X is chosen so large that the terms with j != 0 vanish to all digits.
        X = 1.1 * max(math.sqrt(2 * digits * smooth), digits / pole + curvature * pole / 2)
        step = 2 * math.pi / X
        y = step * (np.arange(math.ceil((30 + 12 * math.sqrt(max(c, 0) + 4)) / step)) + rule / 2)
        log_gamma = np.stack([loggamma(c + k + 1j * y) for k in ORDERS])
        heights = (log_gamma.real - log_gamma.real[:, :1]).max(axis=0)
        last = int(np.flatnonzero(heights > -digits - 2)[-1]) + 1
        self.y, self.log_gamma = y[:last], log_gamma[:, :last]
        size = np.where(self.y > 0, 2.0, 1.0) * step / (2 * math.pi)  # with the complex conjugate below
        turn = np.exp(1j * self.y * weights.log_mgf_one) * size
        self.scale = float(weights.size(np.array([-c]))[0])
        self.functions = (
            weights.moments.functions(np.asarray(-c - 1j * self.y, dtype=complex)) * turn[:, None]
        )

    def integral(self, k: int, v: Floats, centre: Floats | None = None) -> Floats:
        """m_k of all functions, less the residues to the right of the line. The functions are taken
        about their means if these are given.
        """
        top = self.log_gamma[k].real.max()
        f = self.functions if centre is None else self.functions - self.functions[:, :1] * centre
        f = f * np.exp(self.log_gamma[k] - top)[:, None]
        waves = np.exp(-1j * np.outer(v, self.y))
        return np.asarray(np.exp(top + self.scale - self.c * v)[:, None] * (waves @ f).real)


def _lines(weights: _Weights, highest: float, rule: int) -> Floats:
    """The abscissas of the lines: several between neighbouring poles where the variance of the
    scores is large, then wider apart, up to where the largest r has its saddle point.
    """
    from scipy.special import digamma, polygamma

    steepest = math.sqrt(weights.curvature(-1.0, INTERVALS_LEFT))
    if not steepest <= LARGEST_DEVIATION:
        raise ValueError(
            f"scores have the standard deviation {steepest:.3g} under a tilt of the law, beyond "
            f"{LARGEST_DEVIATION:g}, where the engine for laws that are not Gaussian ends; scale U or the "
            "query down, or sample by numerics.attention_errors"
        )
    each = 1 + int(steepest / 3.5)
    lines = [-n - (j + 0.5 + 0.1 * rule) / each for n in range(INTERVALS_LEFT) for j in range(each)]
    c = (0.5 + 0.1 * rule) / each
    while True:
        lines.append(c)
        if float(digamma(c)) - weights.slope(-c) > highest or c > LARGEST_ABSCISSA:
            return np.array(lines)
        c += min(2 / math.sqrt(float(polygamma(1, c)) + weights.curvature(-c, -c)), c + 1 / each)
