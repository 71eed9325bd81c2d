"""The engine on statements of known truth: what it says and counts, and that runs repeat."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from numerics.counterexamples.drawn.holds import MISSING, Tried, holds
from numerics.evidence import Evidence, Verdict
from numerics.seeds import seeded


@dataclass(frozen=True)
class AtMost:
    """``n <= most`` for whole numbers n from 0 to 1000, with some defects to choose from."""

    most: float
    covered: str = "whole numbers up to 1000"
    drawn: str = "n"
    admitted: int = 0
    confirms: bool = True

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        return st.integers(0, 1000)

    def tried(self, example: int) -> Tried:
        return Tried(example / self.most if example >= self.admitted else float("nan"), example)

    def exactly(self, example: int, at: int) -> Evidence:
        common: dict[str, Any] = {"engine": "property test"}
        if not self.confirms:
            return Evidence(verdict=Verdict.OPEN, reason="no route", **common)
        if at > self.most:
            return Evidence(verdict=Verdict.REFUTED, witness={"n": at}, witness_by="exact", **common)
        return Evidence(verdict=Verdict.SUPPORTED, covered="one number", **common)

    def shown(self, example: int, at: int) -> Mapping[str, Any]:
        return {"n": at}


def test_a_true_statement_is_driven_to_its_worst_ratio():
    found = holds(AtMost(1000.0))
    assert (found.verdict, found.samples, found.slack) == (Verdict.SUPPORTED, 100, 1.0)
    assert dict(found.tightest) == {"n": 1000}


def test_a_false_one_is_shrunk_to_the_simplest_counterexample():
    found = holds(AtMost(700.0))
    assert (found.verdict, dict(found.witness)) == (Verdict.REFUTED, {"n": 701})
    assert holds(AtMost(700.0), shrink=False).witness["n"] > 701


def test_of_several_statements_the_false_one_refutes():
    assert holds(AtMost(1000.0), AtMost(900.0)).witness["n"] == 901


def test_what_fails_in_floating_point_only_refutes_nothing():
    found = holds(replace(AtMost(700.0), confirms=False))
    assert found.verdict is Verdict.OPEN
    assert "not confirmed" in found.reason


@dataclass(frozen=True)
class Rounded(AtMost):
    """Its ratio comes out above 1 where it is an equality."""

    def tried(self, example: int) -> Tried:
        return Tried(1.001 if example == 0 else 0.5, example)


@dataclass(frozen=True)
class Cancelling(AtMost):
    """Its ratio comes out far above 1 where it is an equality."""

    def tried(self, example: int) -> Tried:
        return Tried(3.0 if example == 0 else 0.5, example)


def test_an_equality_that_rounding_breaks_is_an_equality():
    found = holds(Rounded(1000.0))
    assert (found.verdict, found.slack) == (Verdict.SUPPORTED, 1.0)
    # What only rounding breaks says nothing of how near the sides are.
    assert holds(Cancelling(1000.0)).slack == 2.0


@pytest.mark.parametrize("ratio", [float("nan"), -float("inf")])
def test_examples_without_a_number_do_not_count(ratio):
    class Nowhere(AtMost):
        def tried(self, example: int) -> Tried:
            return Tried(ratio, example)

    found = holds(AtMost(1000.0), Nowhere(1000.0, covered="numbers of nothing"))
    assert found.verdict is Verdict.OPEN
    assert found.reason == "none of 100 examples meets the hypotheses: numbers of nothing"


def test_places_that_do_not_meet_the_hypotheses_exactly_do_not_count():
    class Outside(Rounded):
        def exactly(self, example: int, at: int) -> Evidence:
            return super().exactly(example, at).replace(vacuous="the hypotheses fail")

    assert holds(Outside(1000.0)).slack == 2.0


def test_how_many_examples_meet_the_hypotheses_is_said():
    seen: list[int] = []

    class Half(AtMost):
        def tried(self, example: int) -> Tried:
            seen.append(example)
            return super().tried(example)

    found = holds(Half(1000.0, admitted=300))
    met = sum(n >= 300 for n in seen)
    assert 0 < met < 100
    assert found.covered == f"100 examples, of which {met} meet the hypotheses, of whole numbers up to 1000"


def test_nothing_to_try_is_an_error():
    with pytest.raises(ValueError, match="give at least one property"):
        holds()


def test_the_number_of_examples_is_that_of_the_run():
    assert holds(AtMost(1000.0), examples=7).samples == 7
    with seeded("X", examples=30):
        assert holds(AtMost(1000.0)).samples == 30


@dataclass(frozen=True)
class Wide(AtMost):
    """Draws from a wide range and remembers what."""

    seen: list[int] = field(default_factory=list)

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        return st.integers(0, 10**12)

    def tried(self, example: int) -> Tried:
        self.seen.append(example)
        return super().tried(example)


def seen(name: str, reseed: int = 0) -> list[int]:
    with seeded(name, reseed):
        holds(p := Wide(1e12), examples=200)
    return p.seen


def test_a_run_is_repeated_by_its_claim_and_family():
    assert seen("BB:X") == seen("BB:X")
    assert len({str(x) for x in (seen("BB:X"), seen("BB:Y"), seen("BB:X", 1))}) == 3


PROGRAM = """
import sys
sys.path[:0] = {path!r}
{first}
from tests.numerics.counterexamples.drawn.test_holds import seen
print(seen("BB:X"))
"""


def test_a_run_does_not_depend_on_what_else_is_loaded(tmp_path):
    """Hypothesis by itself draws the numbers that stand in the source of loaded modules."""
    (tmp_path / "many.py").write_text("x = [" + ", ".join(str(10**11 + k) for k in range(500)) + "]\n")
    path = [str(tmp_path), *sys.path]
    command = lambda first: [sys.executable, "-c", PROGRAM.format(path=path, first=first)]
    run = lambda first: subprocess.check_output(command(first), text=True, cwd=tmp_path)
    assert run("import many") == run("")


def test_without_hypothesis_nothing_is_accepted(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    found = holds(AtMost(1000.0))
    assert (found.verdict, found.reason) == (Verdict.OPEN, MISSING)
