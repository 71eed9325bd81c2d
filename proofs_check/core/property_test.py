"""The property test of a claim, as a second route to its statement, and its control: the examples
that support a statement must refute the same statement with other numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.holds import MISSING, Property, Scalable, holds, trial
from numerics.evidence import Evidence, Verdict
from numerics.seeds import EXAMPLES, current_examples, current_reseed
from proofs_check.core.controls import conjuncts
from proofs_check.core.sharp_constant import SharpConstant

__all__ = ["beyond", "property_test"]

#: How far beyond a sharp constant a statement is spoiled, as a share of it.
BEYOND = Fraction(1, 20)
#: The share of the largest ratio that another engine knows which the examples must reach.
REACHED = 0.95
#: So many examples are drawn at first of a statement that is proved or certified, if the usual
#: number is asked for: by trial, they see as much as all of them in 98 of 100 such claims. Of what
#: is argued nobody executed the whole, and examples are the only ones who look for it to be false.
FEWER = 30
#: By this factor more examples are drawn with other random numbers, where the usual ones see too
#: little.
MORE = 10


def beyond(sharp: SharpConstant) -> Fraction:
    """The value 5 % beyond a sharp constant, on the refuted side."""
    return sharp.refuted + abs(sharp.refuted) * (BEYOND if sharp.refuted > sharp.accepted else -BEYOND)


def property_test(held: Evidence, controls: Iterable[Evidence]) -> tuple[Evidence | None, list[str]]:
    """Try a statement, by its `sides`, and its spoiled copies among the controls, on examples. The
    Evidence is None if no engine hands on a statement that can be tried; its control is the first
    spoiled copy that the examples refute.

    The faults are what remains undecided or is refuted by the examples alone, conjuncts of which no
    spoiled copy is refuted, and examples that stay below a ratio that is known.
    """
    properties = of_statements(held.sides)
    if not properties:
        return None, []
    if not held.verdict.accepted:
        route = holds(*properties)
        settled = held.verdict is Verdict.OPEN and route.verdict is Verdict.REFUTED
        return route, ["its property test refutes what the engines leave open"] if settled else []
    copies = _spoiled(_conjuncts(held), held, controls)
    usual = current_examples()
    dear = any(getattr(p, "each", 1) > 1 for p in properties)  # of such examples few are drawn already
    first = FEWER if held.verdict.executed and not dear and usual == EXAMPLES else usual
    route, faults = _judged(held, copies, first, drive=first == usual)
    if faults and first < usual and route.verdict is not Verdict.REFUTED:
        route, faults = _judged(held, copies, usual)
    if faults and current_reseed() and route.verdict is Verdict.SUPPORTED:
        # Other random numbers than the published ones may have less luck; what is wrong with the
        # claim shows with many of them, too.
        route, faults = _judged(held, copies, MORE * usual)
    return route, faults


def _judged(
    held: Evidence, copies: Mapping[str, Sequence[Property]], examples: int, drive: bool = True
) -> tuple[Evidence, list[str]]:
    """The property test of an accepted statement by so many examples, and its faults; if `drive`,
    a copy that they do not refute is tried on as many that are driven at it.
    """
    of_conjuncts = _conjuncts(held)
    seen = trial(of_statements(held.sides), copies, examples=examples)
    route = seen.evidence
    if route.verdict is Verdict.OPEN:
        return route, [] if route.reason == MISSING else [f"its property test is undecided: {route.reason}"]
    refuted, faults = dict(seen.refuted), []
    for name, leaves in of_conjuncts.items():
        if name in refuted:
            continue
        # Examples that are driven at a copy find more than those that are driven at the statement.
        found = drive and (
            _driven(copies.get(name, ()), examples) or _driven(_below_the_best(leaves), examples)
        )
        if found:
            refuted[name] = found[0]
        else:
            faults.append(
                f"its property test does not see that {name} is false with the numbers of any control"
            )
    known = min(
        (leaf.slack for leaves in of_conjuncts.values() for leaf in leaves if leaf.slack is not None),
        default=None,
    )
    if route.slack is not None and known is not None and route.slack * REACHED > known:
        faults.append(
            f"its property test reaches the ratio {1 / route.slack:.4g} only, where {1 / known:.4g} is known"
        )
    control = next(iter(refuted.values()), None)
    return route.replace(control=control, covered=_of_which_parts(held) + route.covered), faults


def _of_which_parts(held: Evidence) -> str:
    """How many of the conjuncts are tried, if not all."""
    tried = [bool(of_statements(leaf.sides)) for _, leaf in conjuncts(held)]
    return "" if all(tried) else f"{sum(tried)} of {len(tried)} parts: "


def _conjuncts(held: Evidence) -> dict[str, list[Evidence]]:
    """The conjuncts that can be tried, by what they show; instances of one statement, which show
    the same, are one conjunct.
    """
    out: dict[str, list[Evidence]] = {}
    for path, leaf in conjuncts(held):
        if of_statements(leaf.sides):
            out.setdefault(leaf.checked or str(path), []).append(leaf)
    return out


def _spoiled(
    of_conjuncts: Iterable[str], held: Evidence, controls: Iterable[Evidence]
) -> dict[str, list[Property]]:
    """The spoiled copies of each conjunct: that of its engine, and what stands in its place in a
    control that the engine refuted.
    """
    out: dict[str, list[Property]] = {name: [] for name in of_conjuncts}
    places = {path: leaf.checked or str(path) for path, leaf in conjuncts(held)}
    for path, leaf in conjuncts(held):
        if places[path] in out and leaf.control is not None:
            out[places[path]] += of_statements(leaf.control.sides)
    for control in controls:
        for path, leaf in conjuncts(control):
            if places.get(path) in out and leaf.verdict is Verdict.REFUTED:
                out[places[path]] += of_statements(leaf.sides)
    return out


def _driven(copies: Iterable[Property], examples: int) -> list[Evidence]:
    """The refutation of the first copy that examples driven at it refute."""
    runs = (holds(p, examples=examples, shrink=False) for p in copies)
    return next(([e] for e in runs if e.verdict is Verdict.REFUTED), [])


def _below_the_best(leaves: Iterable[Evidence]) -> Iterator[Property]:
    """A conjunct with its larger side 5 % below what the largest known ratio allows."""
    for leaf in leaves:
        properties = of_statements(leaf.sides)
        slacks = [s for s in (leaf.slack, holds(*properties).slack) if s is not None]
        if slacks:
            factor = Fraction(REACHED / min(slacks)).limit_denominator(10**6)
            yield from (p.scaled(factor) for p in properties if isinstance(p, Scalable))
