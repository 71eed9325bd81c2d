"""Bounds on matrices: refuted by rational ones, proved by their entries."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.matrices.drawn import MatrixProperty
from numerics.lemmas.matrices.draws import Search
from numerics.lemmas.matrices.proof import proved
from numerics.lemmas.matrices.traces import every_size
from numerics.lemmas.matrices.witness import At, broken, feasible, found, named, simple
from numerics.lemmas.matrices.words import Sized, sized, speaks
from numerics.provers.doors import guarded

__all__ = ["for_every_matrix", "speaks_of_matrices"]

ENGINE = "property search"


def speaks_of_matrices(lhs: Any, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]) -> bool:
    """Whether the statement is of this kind."""
    return any(map(speaks, (lhs, rhs, *domain, *where)))


@guarded(ENGINE)
def for_every_matrix(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], *, where: Iterable[Any], effort: int
) -> Evidence:
    """Judge the statement."""
    start = time.monotonic()
    statements, symbolic = sized(lhs, op, rhs, domain, tuple(where))
    answer = _decided(statements, symbolic, effort)
    told = {"checked": statements[-1].checked, "assumes": (*statements[-1].assumes, *answer.assumes)}
    if any(st.vacuous for st in statements):
        told["vacuous"] = statements[-1].vacuous
    properties = tuple(MatrixProperty(Search(st)) for st in statements)
    return answer.replace(**told, sides=properties, seconds=time.monotonic() - start)


def _decided(statements: list[Sized], symbolic: bool, effort: int) -> Evidence:
    """The verdict: a search at every size, then proofs."""
    seen, empty = 0, []
    for st in statements:
        search = Search(st)
        at = found(search)
        if at is not None:
            return refuted(st, at)
        met, number = feasible(search)
        seen += number
        if met is None:
            empty.append(_size(st))
    if empty:
        return Evidence(
            verdict=Verdict.OPEN,
            engine=ENGINE,
            reason=f"no matrices were found that surely meet the hypotheses {' and '.join(empty)}, and "
            "at which both sides are defined: the statement may be vacuous. What may help: hypotheses "
            "that simple rational matrices meet; Matrices.DEFINITE where something is inverted",
        )
    covered = f"{seen} rational points that meet the hypotheses, and a climb from them, {_sizes(statements)}"
    every = every_size(statements[-1])
    if every is not None:
        return every
    reason = "entries decide sizes up to 2 only"
    if not symbolic and statements[0].largest <= 2:
        answer = proved(statements[0], effort)
        if answer.verdict is not Verdict.OPEN:
            return answer.replace(covered=_sizes(statements).strip(), dimension=_dimension(statements[0]))
        reason = answer.reason
    return Evidence(
        verdict=Verdict.SUPPORTED,
        engine=ENGINE,
        samples=seen,
        covered=f"{covered}; not proved: {reason}",
        dimension=_tried_sizes(statements) if symbolic else _dimension(statements[0]),
    )


def refuted(st: Sized, at: At) -> Evidence:
    """The evidence of a point that breaks the statement."""
    at = simple(st, at)
    said = broken(st, at)
    assert said is not None
    engine = "exact arithmetic" if said.by == "exact" else "interval arithmetic"
    return Evidence(verdict=Verdict.REFUTED, engine=engine, witness=named(st, at, said), witness_by=said.by)


def _size(st: Sized) -> str:
    return "for " + (", ".join(f"{s} = {n}" for s, n in st.sizes.items()) or "these sizes")


def _sizes(statements: list[Sized]) -> str:
    if statements[0].sizes:
        return ", ".join(map(_size, statements))
    shapes = {f"{m} of size {m.shape[0]} x {m.shape[1]}" for m in statements[0].matrices}
    return "for " + ", ".join(sorted(shapes)) + " only"


def _dimension(st: Sized) -> str:
    sizes = {int(n) for m in st.matrices for n in m.shape}
    return f"d = {', '.join(map(str, sorted(sizes)))}"


def _tried_sizes(statements: list[Sized]) -> str:
    return "; ".join(", ".join(f"{s} = {n}" for s, n in st.sizes.items()) for st in statements)
