"""The general `forall`: whoever judges the kind of statement is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from numerics import provers
from numerics.evidence import Evidence
from numerics.lemmas.laws.judge import for_every_law, speaks_of_laws
from numerics.lemmas.matrices.judge import for_every_matrix, speaks_of_matrices
from numerics.lemmas.sequences.judge import for_every_sequence, speaks_of_sequences
from theory.inputs.kinds import check_kind, read_items

__all__ = ["forall"]

#: Who knows a kind of statement when he sees it, and who judges it.
KINDS = (
    (speaks_of_matrices, for_every_matrix),
    (speaks_of_laws, for_every_law),
    (speaks_of_sequences, for_every_sequence),
)


def forall(
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[Any, Any],
    *,
    where: Iterable[Any] = (),
    via: Mapping[sp.Symbol, Any] | None = None,
    effort: int = 1_000_000,
) -> Evidence:
    """Decide ``lhs op rhs`` for every point of a domain."""
    check_kind(Mapping, domain=domain)
    where = read_items(where=where)
    for speaks, judge in KINDS:
        if speaks(lhs, rhs, domain, where):
            return judge(lhs, op, rhs, domain, where=where, effort=effort)
    return provers.forall(lhs, op, rhs, domain, where=where, via=via, effort=effort)
