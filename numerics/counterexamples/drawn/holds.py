"""`holds` tries statements on instances that Hypothesis draws, and makes a counterexample simple.
From an instance a property climbs to a worse ratio of its two sides, or Hypothesis drives it there.
Nothing that the examples show in floating point refutes before the statement's own engine has
evaluated the shrunk example again, exactly or by Arb, in the statement's own variables.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from unittest.mock import patch

from numerics.evidence import Evidence, Verdict
from numerics.seeds import current_examples, current_seed

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["MISSING", "ROUNDING", "Property", "Scalable", "Trial", "Tried", "holds", "trial"]

#: A ratio may exceed 1 by that much through rounding.
ROUNDING = 1e-9
#: A ratio between 1 and this is that of an equality where the statement holds exactly; a larger one
#: says nothing of how near the two sides are.
NEAR = 1.01
#: So many examples are tried at once on a copy that is false, which the first of them often refute.
FEW = 20
#: Why nothing ran.
MISSING = 'not run: Hypothesis is not installed; pip install "largeprompt[test]"'


@dataclass(frozen=True)
class Tried:
    """What a statement says at one example."""

    #: Left side over right side at the worst place of the example: above 1 the statement fails
    #: there; nan or -oo says that the example does not meet the hypotheses.
    ratio: float
    #: That place, for the exact evaluation.
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
        own variables, or anything else; `vacuous` if the place does not meet the hypotheses.
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


@dataclass(frozen=True)
class Trial:
    """What one run of examples showed."""

    evidence: Evidence
    #: The refutations of those spoiled copies that an example refutes, by their names.
    refuted: Mapping[str, Evidence]


def holds(*properties: Property, examples: int | None = None, shrink: bool = True) -> Evidence:
    """Try statements on examples that Hypothesis draws, all of them in one run: SUPPORTED with the
    number of examples and the largest ratio; REFUTED with the shrunk counterexample, evaluated
    again exactly; OPEN if Hypothesis is not installed, no example meets the hypotheses, or an
    example that fails in floating point could not be confirmed.

    The search is repeatable: its seed is that of the claim which is being judged, and no example is
    remembered from an earlier run. By default `numerics.seeds.seeded` says how many `examples` are
    drawn. A property with the attribute `each` costs the time of as many, and so many fewer are
    drawn.
    """
    return trial(properties, examples=examples, shrink=shrink).evidence


def trial(
    properties: Sequence[Property],
    spoiled: Mapping[str, Sequence[Property]] = MappingProxyType({}),
    *,
    examples: int | None = None,
    shrink: bool = True,
) -> Trial:
    """Try statements as `holds` does, and on the same examples copies of them that are false: of
    those `spoiled` under each name one has to be refuted.
    """
    if not properties:
        raise ValueError("nothing is to be tried; give at least one property of a statement")
    started = time.perf_counter()
    try:
        import hypothesis
    except ImportError:
        return Trial(Evidence(verdict=Verdict.OPEN, engine="property test", reason=MISSING), {})
    from numerics.counterexamples.drawn.rows import Row, in_lists

    number = current_examples() if examples is None else examples
    number = max(1, number // max(getattr(p, "each", 1) for p in properties))
    copies = [(name, p) for name, of_name in spoiled.items() for p in of_name]
    kinds = {p.drawn: p.strategy() for p in (*properties, *(p for _, p in copies))}
    of = {kind: place for place, kind in enumerate(kinds)}
    found = [_Best() for _ in properties]
    refuted: dict[str, Evidence] = {}
    run = 0
    failure: tuple[Property, Any, Evidence] | None = None
    lists, number_of_lists = in_lists(list(kinds.values()), number)
    single = number_of_lists == number

    def prop(drawn: Sequence[Any]) -> None:
        nonlocal run, failure
        if not single:
            drawn = drawn[: number - run]
        own = lambda p: [example[of[p.drawn]] for example in drawn]
        for k, (p, best) in enumerate(zip(properties, found)):
            target = partial(hypothesis.target, label=str(k)) if single else None
            for example, tried in _tried(p, own(p)):
                failed = _one(p, example, tried, best, target)
                if failed is not None:
                    failure = p, example, failed
                    raise AssertionError
        run += len(drawn)
        for name, p in copies:
            if (
                name not in refuted
                and (spoiled := _first(_refuted(p, *pair) for pair in _tried(p, own(p), FEW))) is not None
            ):
                refuted[name] = spoiled

    def once(drawn: Sequence[Any]) -> None:  # Hypothesis reads the source of what it runs, so it is short
        prop(drawn)

    phases = (hypothesis.Phase.generate, hypothesis.Phase.target, hypothesis.Phase.shrink)
    checked = hypothesis.settings(
        max_examples=number_of_lists,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=hypothesis.Verbosity.quiet,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=phases if shrink and single else phases[:2],
    )(hypothesis.given(lists)(once))
    try:
        with _nothing_from_other_code():
            hypothesis.seed(current_seed())(checked)()
    except AssertionError:
        if failure is None:  # of a property itself
            raise
        p, example, found_false = failure
        kind = kinds[p.drawn]
        if shrink and not single and isinstance(kind, Row):  # a whole list would take long to shrink
            example = kind.shrunk(example, lambda row: _refuted(p, row, p.tried(row)) is not None)
            simpler = _refuted(p, example, p.tried(example))
            found_false = found_false if simpler is None else simpler
        return Trial(
            found_false.replace(engine="property test", seconds=time.perf_counter() - started), refuted
        )
    return Trial(_summary(properties, found, run, time.perf_counter() - started), refuted)


def _tried(p: Property, examples: Sequence[Any], at_once: int | None = None) -> Iterator[tuple[Any, Tried]]:
    """Each example with the worst ratio there; several at once where the property can do that."""
    together = getattr(p, "tried_together", None) or (lambda some: map(p.tried, some))
    for i in range(0, len(examples), at_once or len(examples)):
        some = examples[i : i + (at_once or len(examples))]
        yield from zip(some, together(some))


def _first(found: Iterable[Evidence | None]) -> Evidence | None:
    return next((e for e in found if e is not None), None)


def _refuted(p: Property, example: Any, tried: Tried) -> Evidence | None:
    """The refutation of a statement by an example, if it is one."""
    exactly = p.exactly(example, tried.at) if tried.ratio > 1 + ROUNDING else None
    return exactly if exactly is not None and exactly.verdict is Verdict.REFUTED else None


def _nothing_from_other_code() -> AbstractContextManager[Any]:
    """Hypothesis mixes its draws with numbers that stand in the source of loaded modules. Within
    this context it does not, so that a run can be repeated whatever else is loaded.
    """
    from hypothesis.internal.conjecture.providers import HypothesisProvider

    # Versions before 6.131 mix nothing in.
    known = hasattr(HypothesisProvider, "_maybe_draw_constant")
    return (
        patch.object(HypothesisProvider, "_maybe_draw_constant", lambda *a, **k: None)
        if known
        else nullcontext()
    )


def _one(
    p: Property, example: Any, tried: Tried, best: _Best, target: Callable[[float], Any] | None
) -> Evidence | None:
    """The refutation of the statement by this example, if it is one; what was seen is kept in
    `best`.
    """
    r = tried.ratio
    if not r > -math.inf:
        return None
    exactly = p.exactly(example, tried.at) if r > 1 + ROUNDING else None
    if exactly is not None and exactly.verdict is not Verdict.REFUTED and exactly.vacuous:
        return None
    best.counted += 1
    if exactly is not None:
        if exactly.verdict is Verdict.REFUTED:
            return exactly
        if not exactly.verdict.accepted:
            best.unconfirmed = max(
                best.unconfirmed or (r, example, tried.at), (r, example, tried.at), key=lambda u: u[0]
            )
            return None
        r = 1.0 if r < NEAR else 0.0  # an equality up to rounding, or nothing but rounding
    if r > best.ratio:
        best.ratio, best.place = r, (example, tried.at)
    if r > 0 and target is not None:  # each number that is driven costs time, and an equation has none
        target(math.log10(min(max(r, 1e-300), 1.0)))
    return None


def _summary(properties: Sequence[Property], found: Sequence[_Best], run: int, seconds: float) -> Evidence:
    common: dict[str, Any] = {
        "engine": "property test",
        "samples": run,
        "seed": current_seed(),
        "seconds": seconds,
    }
    empty = [p.covered for p, b in zip(properties, found) if not b.counted]
    if empty:
        return Evidence(
            verdict=Verdict.OPEN,
            reason=f"none of {run} examples meets the hypotheses: {'; '.join(empty)}",
            **common,
        )
    for p, b in zip(properties, found):
        if b.unconfirmed is not None:
            r, example, at = b.unconfirmed
            reason = (
                f"ratio {r:.6g} in floating point, not confirmed exactly, at {dict(p.shown(example, at))}"
            )
            return Evidence(verdict=Verdict.OPEN, reason=reason, **common)
    k = max(range(len(found)), key=lambda i: found[i].ratio)
    best, p = found[k], properties[k]
    counted = min(b.counted for b in found)
    met = "" if counted == run else f", of which {counted} meet the hypotheses,"
    covered = f"{run} examples{met} of {'; '.join(dict.fromkeys(q.covered for q in properties))}"
    return Evidence(
        verdict=Verdict.SUPPORTED,
        covered=covered,
        slack=max(1.0, 1 / best.ratio) if best.ratio > 0 else None,
        tightest=p.shown(*best.place),
        **common,
    )
