"""The property test of a claim, as a second route to its statement, and its control: the examples
that support a statement must refute the same statement with other numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from numerics.evidence import Evidence, Verdict
from numerics.properties.dispatch import of_statements
from numerics.properties.holds import MISSING, Scalable, holds
from proofs_check.core.controls import conjuncts
from proofs_check.core.dial import Edge

__all__ = ["beyond_the_edge", "property_test"]

#: How far beyond the edge of a dial a statement is spoiled, as a share of the edge.
BEYOND = Fraction(1, 20)
#: The share of the largest ratio that another engine knows which the examples must reach.
REACHED = 0.95


def beyond_the_edge(edge: Edge) -> Fraction:
    """The value of a dial 5 % beyond its edge, on the refuted side."""
    return edge.refuted + abs(edge.refuted) * (BEYOND if edge.refuted > edge.accepted else -BEYOND)


def property_test(held: Evidence, controls: Iterable[Evidence]) -> tuple[Evidence | None, list[str]]:
    """Try a statement, and its spoiled copies, on examples.

    Parameters
    ----------
    held : Evidence
        What the engines say of the statement; its `sides` are tried.
    controls : iterable of Evidence
        The statement with other numbers; no more are asked for than are needed.

    Returns
    -------
    Evidence or None
        None if no engine hands on a statement that can be tried. The control of the Evidence is
        the first spoiled copy that the examples refute.
    list of str
        Faults: what remains undecided, and conjuncts of which no spoiled copy is refuted.
    """
    properties = of_statements(held.sides)
    if not properties:
        return None, []
    route = holds(*properties)
    if route.verdict is Verdict.OPEN:
        return route, [] if route.reason == MISSING else [f"its property test is undecided: {route.reason}"]
    if not held.verdict.accepted:
        return route, []
    found, missed = _spoiled(held, controls)
    faults = [f"its property test does not see that {name} is false with the numbers of any control" for name in missed]
    known = min((leaf.slack for _, leaf in conjuncts(held) if leaf.slack is not None and of_statements(leaf.sides)), default=None)
    if route.slack is not None and known is not None and route.slack * REACHED > known:
        faults.append(f"its property test reaches the ratio {1 / route.slack:.4g} only, where {1 / known:.4g} is known")
    return route.replace(control=found, covered=_of_which_parts(held) + route.covered), faults


def _of_which_parts(held: Evidence) -> str:
    """How many of the conjuncts are tried, if not all."""
    tried = [bool(of_statements(leaf.sides)) for _, leaf in conjuncts(held)]
    return "" if all(tried) else f"{sum(tried)} of {len(tried)} parts: "


def _spoiled(held: Evidence, controls: Iterable[Evidence]) -> tuple[Evidence | None, list[str]]:
    """The first spoiled copy that examples refute, and the conjuncts that have none; instances of
    one statement, which show the same text, are one conjunct.
    """
    open_: dict[str, set[tuple[int, ...]]] = {}
    first: Evidence | None = None
    for path, leaf in conjuncts(held):
        if of_statements(leaf.sides):
            open_.setdefault(leaf.checked or str(path), set()).add(path)
    for leaves in _leaves(held, controls):
        for name, paths in list(open_.items()):
            for leaf in (leaves[p] for p in sorted(paths) if p in leaves):
                properties = of_statements(leaf.sides)
                refuted = holds(*properties, shrink=first is None) if properties else None
                if refuted is not None and refuted.verdict is Verdict.REFUTED:
                    first = refuted if first is None else first
                    del open_[name]
                    break
        if not open_:
            break
    missed = []
    for name, paths in open_.items():
        refuted = _below_the_best([leaf for path, leaf in conjuncts(held) if path in paths])
        if refuted is None:
            missed.append(name)
        first = refuted if first is None else first
    return first, missed


def _below_the_best(leaves: Iterable[Evidence]) -> Evidence | None:
    """A conjunct with its larger side 5 % below what the largest known ratio allows, if the
    examples refute it.
    """
    for leaf in leaves:
        properties = of_statements(leaf.sides)
        slacks = [s for s in (leaf.slack, holds(*properties).slack) if s is not None]
        factor = Fraction(REACHED / min(slacks, default=1.0)).limit_denominator(10**6)
        spoiled = [p.scaled(factor) for p in properties if slacks and isinstance(p, Scalable)]
        refuted = holds(*spoiled) if spoiled else None
        if refuted is not None and refuted.verdict is Verdict.REFUTED:
            return refuted
    return None


def _leaves(held: Evidence, controls: Iterable[Evidence]) -> Iterator[dict[tuple[int, ...], Evidence]]:
    """The refuted conjuncts of each control by their places; first those that engines spoiled
    themselves.
    """
    yield {path: leaf.control for path, leaf in conjuncts(held) if leaf.control is not None}
    for control in controls:
        yield {path: leaf for path, leaf in conjuncts(control) if leaf.verdict is Verdict.REFUTED}
