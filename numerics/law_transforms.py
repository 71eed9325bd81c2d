"""Laplace transforms of softmax weights under any law whose moment generating function is known, by Mellin-Barnes integrals.

With w = e^{b.g} / E e^{b.g}, b.g the score of a token, the errors of attention at one query are integrals over r of products of

    m_k[f](r) = r^k E[f(g) w^k e^{-rw}],   m_0(r) = E e^{-rw},

and e^{-x} = (1/2 pi i) int Gamma(z) x^{-z} dz turns the mean under the law, of any dimension, into one integral along a line:

    m_k[f](r) = (1/2 pi i) int Gamma(z + k) r^{-z} E[f(g) w^{-z}] dz,

where E[f w^{-z}] is a derivative of the moment generating function at a complex point. The poles at z = -k, -k - 1, ... have the
terms of the Taylor series in r as residues. A line to the left of some of them gives the remainder of that series, so that 1 - m_0,
and m_1[f] of an f with mean zero under the tilted law, keep their relative accuracy as r -> 0. For each r the line is used on which
the integrand is least. Laws on finitely many points need no integral.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from numerics.law_moments import AtomicMoments, TiltedMoments

__all__ = ["STEP", "LawTransforms", "law_transforms", "transform_grid"]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

#: Step of the trapezoid sums over v = log r; each of the two rules has it, and they interlace.
STEP = 0.2
#: Integrands are followed down to e^{-CUT} of their maximum.
CUT = 40.0
#: Trapezoid sums along a line are to be right to e^{-DIGITS}.
DIGITS = 40.0
#: Unit intervals to the left of zero that hold lines.
LEFT = 6
ORDERS = range(5)


@dataclass(frozen=True, eq=False)
class LawTransforms:
    """The functions m_k on an equidistant grid of v = log r.

    Parameters
    ----------
    v : array, shape (n,)
    log_m0 : array, shape (n,)
        To full relative accuracy.
    m : sequence of arrays, shape (n, size)
        ``m[k]``, k = 1 to 4, of the functions of a `Basis`; ``m[1]`` has them about their tilted means, apart from the first, and
        ``m[0]`` is empty.
    """

    v: Floats
    log_m0: Floats
    m: Sequence[Floats]


def weight_moments(moments: TiltedMoments, t: Floats) -> Floats:
    """``ln E w^t`` for real t."""
    return np.asarray(moments.log_mgf(t) - t * moments.log_mgf(np.ones(1)))


def transform_grid(moments: TiltedMoments, log_L: float, rule: int = 0) -> Floats:
    """Nodes v of one of two interlacing rules, where integrands are not negligible for prompts of 2 to e^{log_L} tokens."""
    t = np.linspace(0.125, 2.0, 16)
    # m_2 is at most E w^t r^t, while a mean squared error is about 1/L or more.
    lowest = float(((-CUT - 2 * log_L - weight_moments(moments, t)) / t).max())
    c = np.geomspace(0.125, 64.0, 48)
    ceiling = weight_moments(moments, -c) + (c + 4) * (np.log(c + 4) - 1)  # of r^c m_k
    highest = float(((CUT / 2 + ceiling) / c).min())
    return np.asarray(lowest + STEP * (np.arange(math.ceil((highest - lowest) / STEP)) + rule / 2), dtype=float)


def law_transforms(moments: TiltedMoments, v: Floats, rule: int = 0) -> LawTransforms:
    """Evaluate the functions.

    Parameters
    ----------
    moments : TiltedMoments
    v : array, shape (n,)
    rule : int
        0 or 1: two rules share neither lines of integration nor nodes on them.

    Returns
    -------
    LawTransforms
    """
    if isinstance(moments, AtomicMoments):
        return _sums(moments, v)
    offset = rule / 2
    lines = _lines(moments, v, offset)
    series = _Series(moments)
    noise = np.stack([[series.noise(k, c, v) for c in lines] for k in ORDERS])  # (orders, lines, n)
    left = lines < 0
    inside = np.where(left[:, None], noise[0], np.inf).argmin(axis=0)
    outside = np.where(left[:, None], np.inf, noise[0]).argmin(axis=0)
    best = [inside, *noise[1:].argmin(axis=1)]
    complement, m0 = np.zeros(v.size), np.zeros(v.size)
    m = [np.zeros((v.size, series.size if k else 0)) for k in ORDERS]
    for i, c in enumerate(lines):
        wanted = [(k, np.flatnonzero(b == i)) for k, b in enumerate(best)]
        far = np.flatnonzero(outside == i)
        if not far.size and not any(rows.size for _, rows in wanted):
            continue
        line = _Line(moments, c, offset)
        for k, rows in wanted:
            if rows.size and k:
                m[k][rows] = line.integral(k, v[rows], series.centre if k == 1 else None) + series.sum(k, c, v[rows])
            elif rows.size:
                complement[rows] = -(line.integral(0, v[rows])[:, 0] + series.sum(0, c, v[rows])[:, 0])
        if far.size:
            m0[far] = line.integral(0, v[far])[:, 0]
    return LawTransforms(v, log_complement(complement, m0), m)


def _sums(moments: AtomicMoments, v: Floats) -> LawTransforms:
    """Over atoms, without an integral. The exponential of -rw is taken less 1 where its factor has mean zero."""
    values, p, log_w = moments.values, moments.weights, moments.log_w
    x = np.exp(np.minimum(v[:, None] + log_w, 700.0))
    centre = (p * np.exp(log_w)) @ values
    centre[0] = 0.0
    decay = np.exp(-x)
    m = [np.zeros((v.size, 0)), (p * x * np.expm1(-x)) @ (values - centre)]
    m += [(p * x**k * decay) @ values for k in (2, 3, 4)]
    return LawTransforms(v, log_complement(-np.expm1(-x) @ p, decay @ p), m)


class _Series:
    """Residues: the terms of the Taylor series in r, without those that vanish or are wanted apart."""

    def __init__(self, moments: TiltedMoments) -> None:
        n = np.arange(LEFT + 1.0)
        self.log_size = weight_moments(moments, n)
        self.moments = moments.functions(n.astype(complex)).real  # E f w^n, n = 0, 1, ..., in units of e^{log_size}
        self.centre = self.moments[1] / self.moments[1, 0]
        self.centre[0] = 0.0
        self.size = self.centre.size
        self.weight_moments = lambda t: weight_moments(moments, t)

    def _terms(self, k: int, c: float) -> NDArray[np.intp]:
        return np.arange(max(k, 1) + (k == 1), math.floor(-c) + 1)

    def _log(self, k: int, n: NDArray[np.intp], v: Floats) -> Floats:
        from scipy.special import gammaln

        return n * v[:, None] + self.log_size[n] - gammaln(n - k + 1.0)

    def noise(self, k: int, c: float, v: Floats) -> Floats:
        """Logarithm of the largest number in the sum, by which rounding errors go."""
        from scipy.special import gammaln

        along = gammaln(c + k) + self.weight_moments(np.array([-c]))[0] - c * v
        n = self._terms(k, c)
        return np.maximum(along, self._log(k, n, v).max(axis=1)) if n.size else along

    def sum(self, k: int, c: float, v: Floats) -> Floats:
        n = self._terms(k, c)
        moments = self.moments[n] - (self.moments[n, :1] * self.centre if k == 1 else 0.0)
        return (np.exp(self._log(k, n, v)) * (-1.0) ** (n - k)) @ moments


class _Line:
    """The integrand at nodes c + iy on a line."""

    def __init__(self, moments: TiltedMoments, c: float, offset: float) -> None:
        from scipy.special import loggamma, polygamma

        self.c = c
        pole = min(-c - math.floor(-c), math.ceil(-c) + c) if c < 0 else c
        curvature = _curvature(moments, -c + np.linspace(-1, 1, 5)).max()
        smooth = curvature + float(polygamma(1, max(c, 0.5)))
        # The sum is that of the values at r e^{jX}, times e^{jcX}, over all whole j: of which those with j != 0 are to vanish.
        X = 1.1 * max(math.sqrt(2 * DIGITS * smooth), DIGITS / pole + curvature * pole / 2)
        step = 2 * math.pi / X
        y = step * (np.arange(math.ceil((30 + 12 * math.sqrt(max(c, 0) + 4)) / step)) + offset)
        self.log_gamma = [loggamma(c + k + 1j * y) for k in ORDERS]
        heights = np.max([g.real - g.real[0] for g in self.log_gamma], axis=0)
        last = int(np.flatnonzero(heights > -DIGITS - 2)[-1]) + 1
        self.y = y[:last]
        self.log_gamma = [g[:last] for g in self.log_gamma]
        weights = np.where(self.y > 0, 2.0, 1.0) * step / (2 * math.pi)  # with the complex conjugate below
        one = float(moments.log_mgf(np.ones(1))[0])
        turn = np.exp(1j * self.y * one) * weights
        self.scale = float(weight_moments(moments, np.array([-c]))[0])
        self.functions = moments.functions(-c - 1j * self.y) * turn[:, None]

    def integral(self, k: int, v: Floats, centre: Floats | None = None) -> Floats:
        top = self.log_gamma[k].real.max()
        f = self.functions if centre is None else self.functions - self.functions[:, :1] * centre
        f = f * np.exp(self.log_gamma[k] - top)[:, None]
        waves = np.exp(-1j * np.outer(v, self.y))
        return np.exp(top + self.scale - self.c * v)[:, None] * (waves @ f).real


def _curvature(moments: TiltedMoments, t: Floats) -> Floats:
    """Variance of the score under the law tilted t times: the second derivative of the log-mgf."""
    e = 0.05
    return np.maximum((moments.log_mgf(t + e) + moments.log_mgf(t - e) - 2 * moments.log_mgf(t)) / e**2, 0.0)


def _lines(moments: TiltedMoments, v: Floats, offset: float) -> Floats:
    from scipy.special import digamma, polygamma

    steepest = math.sqrt(_curvature(moments, np.linspace(-1, LEFT, 30)).max())
    each = 1 + int(steepest / 3.5)
    lines = [-n - (j + 0.5 + 0.2 * offset) / each for n in range(LEFT) for j in range(each)]
    c = 0.5 + 0.2 * offset
    while True:
        lines.append(c)
        slope = digamma(c) + np.diff(weight_moments(moments, np.array([0.05 - c, -0.05 - c])))[0] / 0.1
        if slope > v[-1] or c > 100:
            break
        c += 2 / math.sqrt(float(polygamma(1, c) + _curvature(moments, np.array([-c]))[0]))
    return np.array(lines)


def log_complement(q: Floats, m0: Floats) -> Floats:
    """log m_0 where q = 1 - m_0: from whichever of the two is small, and finite where m_0 underflows."""
    return np.where(q < 0.5, np.log1p(-np.minimum(q, 0.5)), np.log(np.maximum(m0, 1e-300)))
