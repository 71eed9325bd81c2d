"""Bounds on samples of every law: refuted by laws on few atoms, summed exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numerics.evidence import Evidence

__all__ = ["for_every_law", "speaks_of_laws"]


def speaks_of_laws(lhs: Any, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]) -> bool:
    """Whether the statement is of this kind."""
    return False


def for_every_law(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], *, where: Iterable[Any], effort: int
) -> Evidence:
    """Judge the statement."""
    raise NotImplementedError
