"""The four stages in which a claim is judged: evaluation, sharp constant, controls, property test.
Each returns a record of what it found, and of the faults of the claim that show in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from numerics.evidence import Evidence, confirmed
from proofs_check.core.controls import too_far
from proofs_check.core.property_test import beyond, property_test
from proofs_check.core.sharp_constant import SharpConstant, find_sharp_constant
from proofs_check.papers.sharp_constants import Ends

__all__ = ["Controls", "Evaluation", "Sharp", "Trial", "evaluate", "look_for_sharp", "refute", "try_out"]

#: Judges the statement with other numbers than the printed ones.
Run = Callable[[Mapping[str, Any]], Evidence]


@dataclass(frozen=True)
class Evaluation:
    """The statement as printed, and as it is held: as repaired, if anything is repaired."""

    printed: Evidence
    held: Evidence
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Sharp:
    """The sharp constant, if a number is varied and has one."""

    constant: SharpConstant | None = None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Controls:
    """The statement with wrong numbers; all of it must be refuted somewhere."""

    seen: tuple[Evidence, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """What is held, with its property test as a second route."""

    held: Evidence
    faults: tuple[str, ...]


def evaluate(
    run: Run, repair: Mapping[str, Any], at_reference: Callable[[Evidence], tuple[Evidence, list[str] | None]]
) -> Evaluation:
    """Judge the printed numbers and the repaired ones. `at_reference` adds what the bound loses at
    the reference instance of the paper, and says why nothing is known there; None if nothing is
    asked.
    """
    printed, why_not = at_reference(run({}))
    held, why_not = at_reference(run(repair)) if repair else (printed, why_not)
    if why_not is None or held.reference is not None or not held.verdict.accepted:
        return Evaluation(printed, held, ())
    reasons = "; ".join(dict.fromkeys(why_not)) or f"the engine {held.engine!r} evaluates nothing there"
    fault = f"it has reference=, but no slack at the reference instance: {reasons}"
    return Evaluation(printed, held, (fault,))


def look_for_sharp(
    run: Run, held: Evidence, numbers: Mapping[str, Any], name: str, known: Ends | None
) -> Sharp:
    """Vary one of the numbers that are held until the verdict changes; nothing without a name."""
    if not name:
        return Sharp()
    found = find_sharp_constant(lambda value: run({name: value}), Fraction(numbers[name]), known)
    lacks = found is None and held.verdict.accepted
    return Sharp(found, (f"no value of {name} is refuted: the check cannot fail",) if lacks else ())


def refute(
    run: Run,
    held: Evidence,
    numbers: Mapping[str, Any],
    control: Iterable[Mapping[str, Any]],
    sharp: SharpConstant | None,
) -> Controls:
    """Judge each control on top of the numbers that are held, beside the first refuted value of a
    sharp constant and what an engine spoiled itself.
    """
    seen, faults = [] if sharp is None else [sharp.beyond], []
    for changed in control:
        seen.append(run(changed))
        faults += too_far(changed, numbers, run)
    if held.engine == "examples" and held.control is not None:
        seen.append(held.control)  # a definition is controlled by an object outside it
    return Controls(tuple(seen), tuple(faults))


def try_out(run: Run, held: Evidence, controls: Controls, name: str, sharp: SharpConstant | None) -> Trial:
    """Try what is held, and the controls, on drawn examples; those with another value of the number
    called `name` go further beyond its sharp constant, and are judged when they are asked for.
    """
    spoiled = controls.seen if sharp is None else controls.seen[1:]
    further = () if sharp is None else ({name: beyond(sharp)},)
    route, faults = property_test(held, chain(spoiled, map(run, further)))
    return Trial(held if route is None else confirmed(held, route), tuple(faults))
