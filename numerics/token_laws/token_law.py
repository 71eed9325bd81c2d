"""The law of a token: the one object that samplers, compiled kernels, exact sums and the search for
the worst law are handed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.token_laws.atomic import Atomic
from numerics.token_laws.checks import (
    KINDS,
    checked_covariance,
    checked_cubature,
    checked_factor,
    checked_numbers,
    checked_sampler,
    checked_transform,
)
from numerics.token_laws.embeddings import EmbeddingTable
from numerics.token_laws.tilted_by_cauchy import tilted_from_log_mgf
from numerics.token_laws.weighted_nodes import WeightedNodes
from theory.inputs.arrays import read_arrays
from theory.shown.result import in_a_line, in_a_table

__all__ = ["KINDS", "Structure", "TokenLaw"]

Floats = NDArray[np.float64]


class Structure(Protocol):
    """What a built-in law, or that of an embedding table, knows of itself."""

    @property
    def name(self) -> str:
        """What the law is called in messages."""
        ...

    @property
    def d(self) -> int:
        """Dimension of a token."""
        ...

    @property
    def sigma(self) -> float:
        """The sub-Gaussian parameter with which it was built."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """JSON content from which `numerics.token_laws.from_identity` rebuilds the law; empty if
        the law is too large for that.
        """
        ...

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """n tokens, shape (n, d)."""
        ...

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z} for real or complex a of shape (..., d), up to a multiple of 2 pi i."""
        ...

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        ...

    def image(self, A: Floats) -> Structure:
        """The law of A Z."""
        ...


@dataclass(frozen=True, eq=False)
class TokenLaw:
    """A centred sub-Gaussian law of tokens on R^d.

    Parameters
    ----------
    name, d : str, int
    sigma : float
        The claim ``E exp(v.Z) <= exp(sigma^2 |v|^2 / 2)`` for all v; see `check_variance_proxy`.
    sample : callable
        ``sample(rng, n)``: n independent tokens, shape (n, d), drawn from the
        `numpy.random.Generator` rng alone.
    log_mgf : callable, optional
        ``ln E exp(a.Z)`` for a of shape (..., d), shape (...). It is called with real and with
        complex a, and must be an analytic function of a near the real axis: no ``abs``, ``.real``
        or ``conj`` of a. Branches of the logarithm do not matter.
    coordinates : str or callable, optional
        For compiled kernels, Z = factor @ g: ``"normal"``, ``"sign"``, ``"uniform"`` (iid
        coordinates of variance 1), ``"sphere"``, ``"ball"`` (uniform, of covariance I), or a
        Numba-compiled quantile function of a float32 in (0, 1), for iid coordinates.
    factor : array_like, shape (d, r), optional
        The identity if only `coordinates` is given.
    structure : Independent, Radial, Atomic or EmbeddingTable, optional
        What built-in laws know beyond this, for the exact engine.
    cubature : WeightedNodes, optional
        Nodes and masses for exact sums. Laws on finitely many points have them by themselves.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind described or out of range, ``sample`` uses other
        randomness than rng, or ``log_mgf`` is not 0 and flat at 0, not analytic, or not that of
        the factor.

    Examples
    --------
    A user's law, triangular on [-1, 1]: the sum of two uniform variables on [-1/2, 1/2], of which
    each has the transform ``sinh(a/2) / (a/2)``, a sinc.

    >>> triangular = TokenLaw(
    ...     name="triangular",
    ...     d=1,
    ...     sigma=6**-0.5,
    ...     sample=lambda rng, n: rng.triangular(-1, 0, 1, (n, 1)),
    ...     log_mgf=lambda a: 2 * np.log(np.sinc(0.5j * a / np.pi)).sum(-1),
    ... )
    >>> np.allclose(triangular.covariance, 1 / 6)
    True
    """

    name: str
    d: int
    sigma: float
    sample: Callable[[np.random.Generator, int], Floats]
    log_mgf: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    coordinates: str | Callable[[Any], Any] | None = None
    factor: Floats | None = None
    structure: Structure | None = None
    cubature: WeightedNodes | None = field(default=None, repr=False)

    __repr__ = in_a_line
    _repr_html_ = in_a_table

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        d, sigma = checked_numbers(self.name, self.d, self.sigma)
        put("d", d)
        put("sigma", sigma)
        checked_sampler(self.sample, d)
        factor, variance = checked_factor(self.coordinates, self.factor, d)
        put("factor", factor)
        self._is_as_built()  # refuses what is no structure
        if self.cubature is not None:
            checked_cubature(self.cubature, d, sigma)
        if self.structure is None and self.log_mgf is not None:
            checked_transform(self.log_mgf, d)
            if factor is not None:
                checked_covariance(self.coordinates, factor, variance, self.covariance)

    @classmethod
    def of(cls, structure: Structure) -> TokenLaw:
        """The built-in law with this structure, whose arrays become read-only."""
        factor: Any = getattr(structure, "factor", None)
        for array in vars(structure).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        return cls(
            name=structure.name,
            d=structure.d,
            sigma=structure.sigma,
            sample=structure.sample,
            log_mgf=structure.log_mgf,
            coordinates=getattr(structure, "kind", None),
            factor=factor,
            structure=structure,
        )

    def _is_as_built(self) -> bool:
        own = self.structure
        if own is None:
            return False
        if not all(
            hasattr(own, name) for name in ("sigma", "identity", "sample", "log_mgf", "tilted", "image")
        ):
            raise TypeError(
                f"structure = {own!r:.200} is none that a built-in law has; leave it out for a law of your "
                "own"
            )
        return bool(
            self.sample == own.sample
            and self.log_mgf == own.log_mgf
            and abs(self.sigma - own.sigma) <= 1e-12 * own.sigma
        )

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """JSON content from which `numerics.token_laws.from_identity` rebuilds the law.

        Built-in laws have one, apart from embedding tables, and lose it when `dataclasses.replace`
        gives them another sampler, transform or sigma.
        """
        return (
            (dict(self.structure.identity) or None)
            if self.structure is not None and self._is_as_built()
            else None
        )

    @property
    def sigma2(self) -> Any:
        """The variance proxy: sigma^2, or what it was before its root was rounded; a Fraction where
        it was given as one.
        """
        own = self.structure
        known = own.sigma2 if isinstance(own, Atomic) and own.sigma == self.sigma else None
        if known is None and self.cubature is not None:
            known = self.cubature.sigma2
        return self.sigma**2 if known is None else known

    @property
    def atoms(self) -> tuple[tuple[Fraction, ...], ...]:
        """The points of a law on finitely many rational points, exactly; empty for other laws."""
        return self.structure.rational[0] if isinstance(self.structure, Atomic) else ()

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """Their probabilities, exactly; empty for other laws."""
        return self.structure.rational[1] if isinstance(self.structure, Atomic) else ()

    @property
    def on_points(self) -> Atomic | None:
        """The law as finitely many points and their weights, if it is one."""
        own = self.structure
        return own.as_atoms if isinstance(own, EmbeddingTable) else own if isinstance(own, Atomic) else None

    @property
    def weighted_nodes(self) -> WeightedNodes:
        """The law as nodes and masses; it needs finitely many values or a cubature rule."""
        if self.cubature is not None:
            return self.cubature
        if (own := self.on_points) is None:
            raise ValueError(
                f"the law {self.name} in d = {self.d} has infinitely many values and no cubature rule; "
                "exact sums need a law on finitely many points (numerics.token_laws.atoms), or cubature= "
                "with nodes and masses"
            )
        return WeightedNodes(own.points, own.weights, float(self.sigma2))

    def tilted(self, a: ArrayLike) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) of the tilted law
        ``e^{a.z} mu(dz) / E e^{a.Z}``: closed forms for built-in laws, otherwise Cauchy integrals
        of `log_mgf`, to about 1e-12 in units of sigma.
        """
        a_ = self._tilt(a)
        if self.structure is not None:
            return self.structure.tilted(a_)
        if self.log_mgf is None:
            raise ValueError(
                f"the law {self.name} has no log_mgf, and so no tilted means; pass log_mgf= when you make "
                "the law"
            )
        return tilted_from_log_mgf(self.log_mgf, a_)

    def _tilt(self, a: ArrayLike) -> Floats:
        (a_,) = read_arrays(a=(a, " ".join(f"n{i}" for i in range(np.ndim(a)))))
        if a_.ndim == 0 or a_.shape[-1] != self.d:
            raise ValueError(
                f"a has shape {a_.shape}, but tokens of {self.name} live in R^{self.d}; its last axis must "
                f"be {self.d}"
            )
        return a_

    def tilted_mean(self, a: ArrayLike) -> Floats:
        """Mean of the tilted law, the first part of `tilted`: far cheaper for embedding tables."""
        own = self.structure
        if not isinstance(own, EmbeddingTable):
            return self.tilted(a)[0]
        return own.tilted_mean(self._tilt(a))

    @property
    def covariance(self) -> Floats:
        """The covariance, shape (d, d)."""
        return self.tilted(np.zeros(self.d))[1]

    def image(self, A: ArrayLike) -> TokenLaw:
        """The law of A Z on R^k, for any matrix A (k, d); built-in laws stay exact, with their
        optimal sigma. A user's sigma is multiplied by the operator norm of A, which is optimal if A
        stretches a direction most in which sigma is attained, and an upper bound otherwise.
        """
        (A_,) = read_arrays(A=(A, "k d"))
        if A_.shape[1] != self.d:
            raise ValueError(
                f"A has shape {A_.shape}, but tokens of {self.name} live in R^{self.d}; A needs {self.d} "
                "columns"
            )
        if self.structure is not None:
            return TokenLaw.of(self.structure.image(A_))
        sample, log_mgf = self.sample, self.log_mgf
        return TokenLaw(
            name=f"image of {self.name}",
            d=A_.shape[0],
            sigma=self.sigma * float(np.linalg.norm(A_, 2)),
            sample=lambda rng, n: sample(rng, n) @ A_.T,
            log_mgf=None if log_mgf is None else lambda a: log_mgf(a @ A_),
            coordinates=self.coordinates,
            factor=None if self.factor is None else A_ @ self.factor,
        )
