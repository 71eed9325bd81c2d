"""The laws that come with the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from numerics.token_laws.law import TokenLaw

__all__ = ["atoms", "ball", "from_identity", "gaussian", "rademacher", "sphere", "uniform"]


def gaussian(Gamma: ArrayLike) -> TokenLaw:
    """N(0, Gamma); Gamma may be singular."""
    raise NotImplementedError


def rademacher(d: int) -> TokenLaw:
    """Independent signs."""
    raise NotImplementedError


def uniform(d: int) -> TokenLaw:
    """Uniform on the cube [-sqrt 3, sqrt 3]^d."""
    raise NotImplementedError


def sphere(d: int) -> TokenLaw:
    """Uniform on the sphere of radius sqrt d."""
    raise NotImplementedError


def ball(d: int) -> TokenLaw:
    """Uniform in the ball of radius sqrt(d + 2)."""
    raise NotImplementedError


def atoms(points: ArrayLike, weights: ArrayLike, sigma: float | None = None) -> TokenLaw:
    """Finitely many points, shape (k, d), with their probabilities, shape (k,)."""
    raise NotImplementedError


def from_identity(identity: Mapping[str, Any]) -> TokenLaw:
    """The built-in law that an `identity` describes."""
    raise NotImplementedError
