"""Random tasks on the unit sphere (Collins et al., Definition 3.2 and Section 3.2), by the mean of
the product of two values, on which alone the loss of an attention window depends. For
rotation-invariant tasks it is a function rho of the inner product; its coefficients in the
Gegenbauer polynomials P_k, with P_k(1) = 1, are the spectrum of the class.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.special import gammaln, jv

from theory.attention.window.gegenbauer import harmonics
from theory.inputs.arrays import read_arrays
from theory.inputs.whole_numbers import read_whole
from theory.shown.result import in_a_line, in_a_table

__all__ = ["SPHERE", "Spectrum", "TaskClass", "affine", "cosine", "linear", "low_rank", "relu"]

Floats = NDArray[np.float64]
#: How many degrees are kept of a spectrum that falls like a power.
DEGREES = 400
#: How an error about a dimension ends.
SPHERE = "tokens lie on the sphere in R^d, and attention windows need d >= 2"


@dataclass(frozen=True)
class Spectrum:
    """The spectrum of a class of tasks in one dimension."""

    d: int
    #: ``rho(t) = sum_k b_k P_k(t)``, without the degrees beyond K.
    b: Floats
    #: A bound on the sum of the coefficients beyond K.
    tail: float = 0.0
    #: Maps ``D = 1 - t`` to ``rho(1) - rho(1 - D)`` without cancellation, where the tail is not 0.
    variogram: Callable[[Floats], Floats] | None = None

    __repr__ = in_a_line
    _repr_html_ = in_a_table

    @property
    def total(self) -> float:
        """The mean square of a value, rho(1)."""
        return float(self.b.sum()) + self.tail

    @property
    def varying(self) -> float:
        """The mean square of a value less that of its mean over the sphere."""
        return float(self.b[1:].sum()) + self.tail

    @property
    def slope(self) -> float:
        """The derivative of rho at 1, ``sum b_k k (k+d-2)/(d-1)``; the mean of ``|grad f|^2`` is
        ``d - 1`` times it.
        """
        return self._moment(1) / (self.d - 1)

    @property
    def curvature(self) -> float:
        """The mean square of the Laplacian, ``sum b_k k^2 (k+d-2)^2``; it may be infinite."""
        return math.inf if self.tail else self._moment(2)

    def _moment(self, power: int) -> float:
        k = np.arange(len(self.b))
        return float((self.b * (k * (k + self.d - 2.0)) ** power).sum())


@dataclass(frozen=True)
class TaskClass:
    """A class of random tasks whose law does not change under rotations."""

    name: str
    #: The Lipschitz constant, or the factor, that the paper's definition names.
    L: Any
    #: ``rho(t, d)``, the mean of ``f(x) f(y)`` over the class at ``x'y = t``.
    rho: Callable[[Any, int], Any]
    #: ``coefficients(d, K)``, the array b_0, ..., b_K.
    coefficients: Callable[[int, int], Floats] = field(repr=False)
    #: The largest degree, where the spectrum ends.
    degrees: int | None = None
    #: ``variogram(D, d) = rho(1, d) - rho(1 - D, d)``, where the spectrum does not end.
    variogram: Callable[[Floats, int], Floats] | None = field(default=None, repr=False)

    __repr__ = in_a_line
    _repr_html_ = in_a_table

    def spectrum(self, d: int, degrees: int = DEGREES) -> Spectrum:
        """The spectrum in dimension d >= 2, up to the given degree where it does not end."""
        d = read_whole("d", d, SPHERE, least=2)
        last = degrees if self.degrees is None else self.degrees
        b = np.asarray(self.coefficients(d, last), dtype=float)
        if self.variogram is None:
            return Spectrum(d, b)
        total = float(self.rho(1.0, d))
        variogram = self.variogram
        return Spectrum(d, b, max(total - float(b.sum()), 0.0), lambda D: variogram(D, d))


def _scale(L: Any) -> Any:
    if isinstance(L, sp.Expr) and not L.is_number:
        if L.is_positive is False:
            raise ValueError(
                f"L = {L} is not positive; L is a Lipschitz constant, declare the symbol with positive=True"
            )
        return L
    number = float(read_arrays(L=(L, ""))[0])
    if number > 1e150 or 0 < number < 1e-150:
        raise ValueError(
            f"L = {number:g} is outside 1e-150 ... 1e150, where its square is a float; choose other units"
        )
    if not number > 0:
        raise ValueError(
            f"L = {L!r} is not a positive number; L is a Lipschitz constant, and with L = 0 all tasks are "
            "constant"
        )
    return sp.sympify(L) if isinstance(L, (int, sp.Expr)) else number


def _of_degree_one(name: str, L: Any, mean: Any, slope: Callable[[int], Any], degrees: int = 1) -> TaskClass:
    """A class with ``rho = mean + slope(d) t``."""
    rho = lambda t, d: (
        mean + slope(d) * t if isinstance(t, sp.Expr) else float(mean) + float(slope(d)) * np.asarray(t)[()]
    )
    return TaskClass(name, L, rho, lambda d, _: np.array([float(mean), float(slope(d))]), degrees)


def affine(L: Any = 1) -> TaskClass:
    """Affine tasks ``l u'x + b``, u uniform on the sphere, l and b uniform on [-L, L]
    (Definition 3.2 of Collins et al.).

    Parameters
    ----------
    L : float or sympy.Expr
        Positive.

    Returns
    -------
    TaskClass

    Raises
    ------
    ValueError
        If L is not positive.

    Examples
    --------
    >>> affine(1).spectrum(5).b.round(4).tolist()
    [0.3333, 0.0667]
    """
    L = _scale(L)
    return _of_degree_one("affine", L, L**2 / 3, lambda d: L**2 / (3 * d))


def linear(L: Any = 1) -> TaskClass:
    """Linear tasks ``L u'x`` with u uniform on the sphere (Section 3.1 of Collins et al.).

    Examples
    --------
    >>> linear(2).spectrum(4).b.tolist()
    [0.0, 1.0]
    """
    L = _scale(L)
    return _of_degree_one("linear", L, 0, lambda d: L**2 / d)


def low_rank(k: int, L: Any = 1) -> TaskClass:
    """Linear tasks ``L a'B'x`` with a uniform on the sphere in R^k (Definition 4.2 of Collins et
    al.), averaged over the subspace.

    Raises
    ------
    ValueError
        If k is not below the dimension, when the spectrum is asked for.

    Examples
    --------
    >>> low_rank(2).spectrum(4).b.tolist()
    [0.0, 0.25]
    """
    k, L = read_whole("k", k, "it is the dimension of the subspace"), _scale(L)

    def slope(d: int) -> Any:
        if k >= d:
            raise ValueError(
                f"k = {k} is not below d = {d}; a proper subspace has fewer dimensions than the tokens"
            )
        return L**2 / d

    return _of_degree_one("low rank", L, 0, slope)


def relu(L: Any = 1) -> TaskClass:
    """Two-sided ReLU tasks ``l_1 (u'x)_+ + l_2 (-u'x)_+ + b``, l_1, l_2 and b uniform on [-L, L]
    (Definition 3.2 of Collins et al.).

    ``rho = L^2/3 + L^2 (sin a + (pi - a) cos a)/(3 pi d)`` with ``t = cos a``. Its coefficients
    fall like ``k^-4``, from the kink of the tasks.

    Examples
    --------
    >>> relu(1).rho(sp.S.One, 3)
    4/9
    """
    L = _scale(L)

    def rho(t: Any, d: int) -> Any:
        if isinstance(t, sp.Expr):
            return L**2 / 3 + L**2 / (3 * d) * (sp.sqrt(1 - t**2) + (sp.pi - sp.acos(t)) * t) / sp.pi
        t = np.clip(t, -1.0, 1.0)
        return float(L) ** 2 / 3 * (1 + (np.sqrt(1 - t * t) + (np.pi - np.arccos(t)) * t) / (np.pi * d))

    def coefficients(d: int, K: int) -> Floats:
        b, size = np.zeros(K + 1), float(L) ** 2
        b[0], b[1] = size / 3, size / (6 * d)
        moment = math.exp(math.lgamma(d / 2) - math.lgamma((d + 1) / 2)) / math.sqrt(math.pi)  # E|t| P_k(t)
        for k in range(0, K + 1, 2):
            b[k] += size / 6 * float(harmonics(d, k)) * moment**2
            moment *= -(k - 1) / (k + d + 1)
        return b

    def variogram(D: Floats, d: int) -> Floats:
        a = 2 * np.arcsin(np.sqrt(np.clip(D / 2, 0.0, 1.0)))
        series = a**3 / 3 * (1 - a * a / 10 * (1 - a * a / 28 * (1 - a * a / 54)))
        kink = np.where(a < 0.1, series, np.sin(a) - a * np.cos(a))
        return np.asarray(float(L) ** 2 / (3 * d) * (D - kink / np.pi))

    return TaskClass("ReLU", L, rho, coefficients, None, variogram)


def cosine(L: Any = 1) -> TaskClass:
    """Cosine tasks ``cos(L u'x)`` with u uniform on the sphere (Section 3.2 of Collins et al.).

    They are even, so that the odd coefficients vanish; the others are
    ``N(d,k) [Gamma(d/2) (2/L)^nu J_{k+nu}(L)]^2`` with ``nu = d/2 - 1``.

    Examples
    --------
    >>> round(cosine(1).spectrum(5).varying, 4)
    0.0102
    """
    L = _scale(L)

    def characteristic(s: Any, d: int) -> Any:
        nu = sp.Rational(d, 2) - 1
        if isinstance(s, sp.Expr):
            return sp.gamma(nu + 1) * (2 / s) ** nu * sp.besselj(nu, s)
        s = np.maximum(np.asarray(s, dtype=float), 1e-12)
        return math.gamma(d / 2) * (2 / s) ** float(nu) * jv(float(nu), s)

    def rho(t: Any, d: int) -> Any:
        root = sp.sqrt if isinstance(t, sp.Expr) else np.sqrt
        size = L if isinstance(t, sp.Expr) else float(L)
        return (characteristic(size * root(2 - 2 * t), d) + characteristic(size * root(2 + 2 * t), d)) / 2

    def coefficients(d: int, _: int) -> Floats:
        size, nu = float(L), d / 2 - 1
        k = np.arange(0, int(1.5 * size + 40) // 2 * 2 + 1)
        log = gammaln(d / 2) + nu * math.log(2 / size)
        if log > 300:
            raise ValueError(f"L = {size:g} is too small for cosines in dimension {d}: take a lower d")
        b = harmonics(d, k) * np.exp(2 * log) * jv(k + nu, size) ** 2
        b[1::2] = 0.0
        return np.asarray(b)

    return TaskClass("cosine", L, rho, coefficients, 0)
