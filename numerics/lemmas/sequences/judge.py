"""Sums up to a variable and sequences: refuted by running them, proved by induction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numerics.evidence import Evidence

__all__ = ["for_every_sequence", "speaks_of_sequences"]


def speaks_of_sequences(lhs: Any, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]) -> bool:
    """Whether the statement is of this kind."""
    return False


def for_every_sequence(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], *, where: Iterable[Any], effort: int
) -> Evidence:
    """Judge the statement."""
    raise NotImplementedError
