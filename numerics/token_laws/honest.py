"""Whether the sub-Gaussian parameter of a law is honest."""

from __future__ import annotations

from numerics.evidence import Evidence
from numerics.token_laws.law import TokenLaw

__all__ = ["honest_sigma"]


def honest_sigma(law: TokenLaw, *, seed: int | None = None, samples: int = 1_000_000) -> Evidence:
    """Search for a v with ``E exp(v.Z) > exp(sigma^2 |v|^2 / 2)``."""
    raise NotImplementedError
