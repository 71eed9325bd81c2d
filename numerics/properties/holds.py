"""`holds` tries statements on instances that Hypothesis draws, drives them to the worst ratio of
their two sides, and shrinks a counterexample.

The examples are evaluated in floating point. Nothing that they show refutes before the statement's
own engine has evaluated the shrunk example again, exactly or by Arb, in the statement's own
variables.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from unittest.mock import patch

from numerics.evidence import Evidence, Verdict
from numerics.seeds import current_examples, current_seed

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["MISSING", "ROUNDING", "Property", "Scalable", "Tried", "holds"]

#: A ratio may exceed 1 by that much through rounding.
ROUNDING = 1e-9
#: Why nothing ran.
MISSING = 'not run: Hypothesis is not installed; pip install "largeprompt[test]"'


@dataclass(frozen=True)
class Tried:
    """What a statement says at one example.

    Parameters
    ----------
    ratio : float
        Left side over right side at the worst place of the example; above 1 the statement fails
        there, and nan says that the example does not meet the hypotheses.
    at : object
        That place, for the exact evaluation.
    """

    ratio: float
    at: Any = None


@runtime_checkable
class Property(Protocol):
    """A statement that can be tried on examples."""

    @property
    def covered(self) -> str:
        """What is drawn, in words."""

    @property
    def drawn(self) -> Any:
        """What describes the strategy: properties with equal ones share their examples."""

    def strategy(self) -> SearchStrategy[Any]:
        """The Hypothesis strategy of the examples."""

    def tried(self, example: Any) -> Tried:
        """The worst ratio at an example, in floating point."""

    def exactly(self, example: Any, at: Any) -> Evidence:
        """The statement at this place, evaluated exactly or by Arb: REFUTED with a witness in its
        own variables, or anything else.
        """

    def shown(self, example: Any, at: Any) -> Mapping[str, Any]:
        """The place in words and numbers."""


@runtime_checkable
class Scalable(Property, Protocol):
    """A property whose bound can be lowered: its control where the statement has no other."""

    def scaled(self, factor: Fraction) -> Property:
        """The same statement with its larger side multiplied."""


@dataclass
class _Best:
    ratio: float = -math.inf
    place: tuple[Any, Any] = (None, None)
    counted: int = 0
    unconfirmed: tuple[float, Any, Any] | None = None
    refuted: Evidence | None = None
    where: dict[str, Any] = field(default_factory=dict)


def holds(*properties: Property, examples: int | None = None, shrink: bool = True) -> Evidence:
    """Try statements on examples that Hypothesis draws, all of them in one run.

    The search is repeatable: its seed is that of the claim which is being judged, and no example is
    remembered from an earlier run.

    Parameters
    ----------
    properties : Property
        At least one.
    examples : int, optional
        How many are drawn; by default what `numerics.seeds.seeded` says, which is 100.
    shrink : bool
        Whether a counterexample is made simpler.

    Returns
    -------
    Evidence
        SUPPORTED with the number of examples and the largest ratio; REFUTED with the shrunk
        counterexample, evaluated again exactly; OPEN if Hypothesis is not installed, no example
        meets the hypotheses, or an example that fails in floating point could not be confirmed.

    Raises
    ------
    ValueError
        If no property is given.
    """
    if not properties:
        raise ValueError("nothing is to be tried; give at least one property of a statement")
    started = time.perf_counter()
    try:
        import hypothesis
    except ImportError:
        return Evidence(verdict=Verdict.OPEN, engine="property test", reason=MISSING)
    number = current_examples() if examples is None else examples
    kinds = {p.drawn: p.strategy() for p in properties}
    which = [list(kinds).index(p.drawn) for p in properties]
    found = [_Best() for _ in properties]
    run = 0

    def prop(drawn: Sequence[Any]) -> None:
        nonlocal run
        run += 1
        failed = False
        for k, p in enumerate(properties):
            failed |= _one(p, drawn[which[k]], found[k], str(k), hypothesis.target)
        assert not failed

    phases = (hypothesis.Phase.generate, hypothesis.Phase.target, hypothesis.Phase.shrink)
    checked = hypothesis.settings(
        max_examples=number,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=hypothesis.Verbosity.quiet,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=phases if shrink else phases[:2],
    )(hypothesis.given(hypothesis.strategies.tuples(*kinds.values()))(prop))
    try:
        with _nothing_from_other_code():
            hypothesis.seed(current_seed())(checked)()
    except AssertionError:
        refuted = next(b.refuted for b in reversed(found) if b.refuted is not None)
        return refuted.replace(engine="property test", seconds=time.perf_counter() - started)
    return _summary(properties, found, run, time.perf_counter() - started)


def _nothing_from_other_code() -> AbstractContextManager[Any]:
    """Hypothesis mixes its draws with numbers that stand in the source of loaded modules. Within
    this context it does not, so that a run can be repeated whatever else is loaded.
    """
    from hypothesis.internal.conjecture.providers import HypothesisProvider

    # Versions before 6.131 mix nothing in.
    known = hasattr(HypothesisProvider, "_maybe_draw_constant")
    return patch.object(HypothesisProvider, "_maybe_draw_constant", lambda *a, **k: None) if known else nullcontext()


def _one(p: Property, example: Any, best: _Best, label: str, target: Any) -> bool:
    """Whether the statement surely fails at this example; what was seen is kept in `best`."""
    tried = p.tried(example)
    r = tried.ratio
    if math.isnan(r):
        return False
    best.counted += 1
    if r > 1 + ROUNDING:
        exactly = p.exactly(example, tried.at)
        if exactly.verdict is Verdict.REFUTED:
            best.refuted = exactly
            return True
        if not exactly.verdict.accepted:
            best.unconfirmed = max(best.unconfirmed or (r, example, tried.at), (r, example, tried.at), key=lambda u: u[0])
            return False
        r = 1.0  # an equality, up to rounding
    if r > best.ratio:
        best.ratio, best.place = r, (example, tried.at)
    if r > 0:  # each number that is driven costs time, and an equation has none
        target(math.log10(min(max(r, 1e-300), 1.0)), label=label)
    return False


def _summary(properties: Sequence[Property], found: Sequence[_Best], run: int, seconds: float) -> Evidence:
    common: dict[str, Any] = {"engine": "property test", "samples": run, "seed": current_seed(), "seconds": seconds}
    empty = [p.covered for p, b in zip(properties, found) if not b.counted]
    if empty:
        return Evidence(verdict=Verdict.OPEN, reason=f"none of {run} examples meets the hypotheses: {'; '.join(empty)}", **common)
    for p, b in zip(properties, found):
        if b.unconfirmed is not None:
            r, example, at = b.unconfirmed
            reason = f"ratio {r:.6g} in floating point, not confirmed exactly, at {dict(p.shown(example, at))}"
            return Evidence(verdict=Verdict.OPEN, reason=reason, **common)
    k = max(range(len(found)), key=lambda i: found[i].ratio)
    best, p = found[k], properties[k]
    covered = f"{run} examples of {'; '.join(dict.fromkeys(q.covered for q in properties))}"
    return Evidence(
        verdict=Verdict.SUPPORTED,
        covered=covered,
        slack=max(1.0, 1 / best.ratio) if best.ratio > 0 else None,
        tightest=p.shown(*best.place),
        **common,
    )
