"""The law of a token, as an object that samplers, kernels and exact engines share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["KINDS", "Structure", "TokenLaw"]

Floats = NDArray[np.float64]
#: Coordinates that compiled kernels know by name; each has mean zero and covariance I.
KINDS = ("normal", "sign", "uniform", "sphere", "ball")


class Structure(Protocol):
    """What a built-in law knows of itself: `Independent`, `Radial` or `Atomic`."""

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """n tokens, shape (n, d)."""
        ...

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z} for real or complex a of shape (..., d), up to a multiple of 2 pi i."""
        ...

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        ...


@dataclass(frozen=True, eq=False)
class TokenLaw:
    """A centred law of tokens on R^d.

    Parameters
    ----------
    name : str
    d : int
    sigma : float
        The claim ``E exp(v.Z) <= exp(sigma^2 |v|^2 / 2)`` for all v; `honest_sigma` tests it.
    sample : callable
        ``sample(rng, n)``: n independent tokens, shape (n, d).
    log_mgf : callable, optional
        ``ln E exp(a.Z)`` for a of shape (..., d), real or complex, shape (...); analytic near the real axis.
    coordinates : str or callable, optional
        For compiled kernels, Z = factor @ g: ``"normal"``, ``"sign"``, ``"uniform"`` (iid coordinates of variance 1), ``"sphere"``,
        ``"ball"`` (uniform, of covariance I), or a Numba-compiled quantile function of a float32 in (0, 1), for iid coordinates.
    factor : array_like, shape (d, r), optional
        The identity if only `coordinates` is given.
    identity : Mapping, optional
        JSON content from which `from_identity` rebuilds the law; built-in laws have one.
    structure : Independent, Radial or Atomic, optional
        What built-in laws know beyond this, for the exact engine.
    """

    name: str
    d: int
    sigma: float
    sample: Callable[[np.random.Generator, int], Floats]
    log_mgf: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    coordinates: str | Callable[[Any], Any] | None = None
    factor: Floats | None = None
    identity: Mapping[str, Any] | None = None
    structure: Structure | None = None

    def tilted(self, a: ArrayLike) -> tuple[Floats, Floats]:
        """Mean and covariance of the tilted law ``e^{a.z} mu(dz) / E e^{a.Z}``."""
        raise NotImplementedError

    @property
    def covariance(self) -> Floats:
        """The covariance, shape (d, d)."""
        return self.tilted(np.zeros(self.d))[1]

    def image(self, A: ArrayLike) -> TokenLaw:
        """The law of A Z."""
        raise NotImplementedError
