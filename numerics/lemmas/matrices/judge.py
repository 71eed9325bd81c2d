"""Bounds on matrices: refuted by rational ones, proved by their entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numerics.evidence import Evidence

__all__ = ["for_every_matrix", "speaks_of_matrices"]


def speaks_of_matrices(lhs: Any, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]) -> bool:
    """Whether the statement is of this kind."""
    return False


def for_every_matrix(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], *, where: Iterable[Any], effort: int
) -> Evidence:
    """Judge the statement."""
    raise NotImplementedError
