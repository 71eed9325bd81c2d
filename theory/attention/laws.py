"""Gaussian and sub-Gaussian laws of tokens, and the skewed law under which attention takes its mean
(Section 2, Appendix B.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.arrays import read_arrays, read_covariance

__all__ = ["Gaussian", "log_mgf_bound"]

Floats = NDArray[np.float64]


def log_mgf_bound(sigma: float, v: ArrayLike) -> float:
    """The definition of a sub-Gaussian law: ``log E e^{v'Z} <= sigma^2 |v|^2 / 2`` for every v.

    The paper never writes it down. It makes the law centred: a mean m would give
    ``log E e^{v'Z} >= v'm``, which is linear in v.

    Parameters
    ----------
    sigma : float
        The sub-Gaussian constant, at least 0.
    v : array_like of shape (d,)

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If v is not a real vector or sigma is negative or not finite.

    Examples
    --------
    >>> log_mgf_bound(2, [1.0, 1.0])
    4.0
    """
    v, constant = read_arrays(v=(v, "d"), sigma=(sigma, ""))
    if constant < 0:
        raise ValueError(f"sigma = {sigma} is no sub-Gaussian constant; it is at least 0")
    return float(constant**2 * (v @ v) / 2)


@dataclass(frozen=True, eq=False, init=False)
class Gaussian:
    """The law ``N(m, Gamma)``.

    Parameters
    ----------
    mean : array_like of shape (d,)
    covariance : array_like of shape (d, d)
        Symmetric positive semidefinite; it may be singular, even zero.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real and finite, shapes do not fit, or the covariance is asymmetric or
        indefinite.

    Examples
    --------
    Attention of a query z averages the tokens under the law tilted by ``a = Uz``, whose mean is ``m + Gamma U z``:

    >>> Gaussian([1.0], [[2.0]]).tilted([3.0]).mean
    array([7.])
    """

    mean: Floats
    covariance: Floats

    def __init__(self, mean: ArrayLike, covariance: ArrayLike) -> None:
        m, Gamma = read_arrays(mean=(mean, "d"), covariance=(read_covariance("covariance", covariance), "d d"))
        object.__setattr__(self, "mean", m)
        object.__setattr__(self, "covariance", Gamma)

    @property
    def d(self) -> int:
        """Dimension of the space."""
        return len(self.mean)

    @property
    def second_moment(self) -> Floats:
        """``E[zz'] = Gamma + m m'``."""
        return self.covariance + np.outer(self.mean, self.mean)

    @property
    def sub_gaussian_constant(self) -> float:
        """The least sigma for which the law is sigma-sub-Gaussian.

        Raises
        ------
        ValueError
            If the mean is not zero: then there is none.
        """
        if self.mean.any():
            raise ValueError(f"a law with the mean {self.mean} is not sub-Gaussian; centre it first")
        return float(np.sqrt(max(np.linalg.eigvalsh(self.covariance)[-1], 0.0)))

    def log_mgf(self, a: ArrayLike) -> float:
        """``log E e^{a'Z} = a'm + a'Gamma a / 2``.

        Raises
        ------
        TypeError, ValueError
            If a is not a real vector of the right dimension.
        """
        m, a = read_arrays(mean=(self.mean, "d"), a=(a, "d"))
        return float(a @ m + a @ self.covariance @ a / 2)

    def tilted(self, a: ArrayLike) -> Gaussian:
        """The law with density proportional to ``e^{a'z}`` against this one:
        ``N(m + Gamma a, Gamma)``.

        Raises
        ------
        TypeError, ValueError
            If a is not a real vector of the right dimension.
        """
        m, a = read_arrays(mean=(self.mean, "d"), a=(a, "d"))
        return Gaussian(m + self.covariance @ a, self.covariance)

    def pushforward(self, A: ArrayLike, b: ArrayLike | None = None) -> Gaussian:
        """The law of ``A Z + b``: ``N(A m + b, A Gamma A')``.

        Raises
        ------
        TypeError, ValueError
            If A is no real matrix, or b no real vector, of the right shape.
        """
        m, A = read_arrays(mean=(self.mean, "d"), A=(A, "n d"))
        _, shift = read_arrays(A=(A, "n d"), b=(np.zeros(len(A)) if b is None else b, "n"))
        image = A @ self.covariance @ A.T
        return Gaussian(A @ m + shift, (image + image.T) / 2)
