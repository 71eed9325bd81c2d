"""The claim core is fed wrong claims of every sort and must catch each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers import forall
from numerics.seeds import current_seed
from proofs_check.core.claim import MEANS, REGISTRY, Claim, claim
from proofs_check.instances.reference import RADEMACHER

ROW = "BB:CC.3.b"
FALSE: dict[str, Any] = dict(false="gap", why="the edge is 2", instead="$c \\geq 2$", costs="constants")


@pytest.fixture(autouse=True)
def _clean_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The row lends its place only: who read it answered of its own claims, and not of these."""
    monkeypatch.setattr("proofs_check.core.printed.is_read", lambda key: False)
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def proved(**more: Any) -> Evidence:
    return Evidence(verdict=Verdict.PROVED, engine="exact arithmetic", **more)


def refuted(**witness: Any) -> Evidence:
    return Evidence(
        verdict=Verdict.REFUTED, engine="exact arithmetic", witness=witness or {"x": 1}, witness_by="exact"
    )


def opened() -> Evidence:
    return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason="gave up")


def threshold(c: Fraction, edge: Fraction = Fraction(2)) -> Evidence:
    return proved() if c >= edge else refuted(c=c)


def made(check: Any, **how: Any) -> Claim:
    REGISTRY.pop(f"{ROW}/{check.__name__}", None)
    return claim(f"{ROW}/{check.__name__}", **how)(check)


def faults(check: Any, **how: Any) -> str:
    return "\n".join(made(check, **how).judge().faults)


def test_a_sound_claim_has_no_faults_and_knows_its_edge() -> None:
    def at_least_two(*, c: int = 3) -> Evidence:
        return threshold(Fraction(c))

    j = made(at_least_two, dial="c").judge()
    assert j.faults == ()
    assert j.edge is not None
    assert j.edge.refuted < 2 <= j.edge.accepted < Fraction(2003, 1000)
    assert j.edge.word == "sharp"
    assert j.edge.slack(Fraction(3)) == pytest.approx(1.5, rel=2e-3)


def test_undeclared_and_wrongly_declared_verdicts_are_caught() -> None:
    def undecided(*, c: int = 1) -> Evidence:
        return opened()

    assert "came out OPEN" in faults(undecided)
    assert faults(undecided, open="two variables") == ""

    def true(*, c: int = 3) -> Evidence:
        return threshold(Fraction(c))

    assert "declared REFUTED, but came out PROVED" in faults(true, **FALSE, control=dict(c=Fraction(3, 2)))

    def false(*, c: int = 1) -> Evidence:
        return threshold(Fraction(c))

    assert "declare it with false=" in faults(false, dial="c")


def test_a_repair_that_does_not_hold_is_caught() -> None:
    def still_false(*, c: int = 1) -> Evidence:
        return threshold(Fraction(c))

    assert "the repair {'c': Fraction(3, 2)} came out REFUTED" in faults(
        still_false, **FALSE, repair=dict(c=Fraction(3, 2))
    )


def test_a_check_must_return_evidence_and_take_keywords_with_defaults() -> None:
    def nothing(*, c: int = 1) -> Any:
        return True

    with pytest.raises(TypeError, match="returned bool"):
        made(nothing)()
    with pytest.raises(TypeError, match="keyword-only"):
        claim(f"{ROW}/positional")(lambda c: proved())

    def known(*, c: int = 1) -> Evidence:
        return proved()

    with pytest.raises(ValueError, match="has no number called 'k'"):
        made(known, dial="k")
    with pytest.raises(TypeError, match="has no number called k"):
        made(known)(k=2)


def test_names_are_unique_and_well_formed() -> None:
    claim(f"{ROW}/one")(lambda: proved())
    with pytest.raises(ValueError, match="two claims are named"):
        claim(f"{ROW}/one")(lambda: proved(covered="other"))
    for bad in ("CC.3.b", "BB:", "bb:x", "BB:a/b/c", "BB:a b"):
        with pytest.raises(ValueError, match="is not an id"):
            claim(bad)


def test_the_streams_belong_to_the_id_and_to_reseed() -> None:
    seeds: list[int] = []

    def drawing(*, c: int = 1) -> Evidence:
        seeds.append(current_seed())
        return opened()

    made_claim = made(drawing, open="only the seed matters")
    for reseed in (0, 0, 1):
        made_claim.judge(reseed)
    assert seeds[0] == seeds[1] != seeds[2]
    assert current_seed() == 0


def test_a_bound_that_says_nothing_at_the_reference_instance_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "proofs_check.core.printed.origins", lambda key: None
    )  # the made up statement has no kinds

    def bound(*, c: int = 2) -> Evidence:
        x = sp.Symbol("x", positive=True)
        return forall(x, "<=", c * x, {x: (0, sp.oo)})

    asked = made(bound, dial="c", reference=dict(x=1))
    assert asked.judge().held.reference == 2
    assert asked(c=3).reference == 3
    assert asked.judge().faults == ()
    assert "no value for x" in faults(bound, dial="c", reference={})

    def silent(*, c: int = 3) -> Evidence:
        return threshold(Fraction(c))

    assert "evaluates nothing there" in faults(silent, dial="c", reference={})
    plain = made(bound, dial="c")
    assert plain.judge().held.reference is None


def test_measurements_reach_the_checks_that_declare_them_and_their_controls() -> None:
    def measuring(*, c: int = 3, measured: int | None = None) -> Evidence:
        return threshold(Fraction(c + (measured or 0)))

    judged = made(measuring, control=dict(c=-3))
    assert judged.judge().printed.verdict.accepted
    given = judged.judge(measured=-5)
    assert (given.printed.verdict, given.control.verdict) == (Verdict.REFUTED, Verdict.REFUTED)

    def proved(*, c: int = 3) -> Evidence:
        return threshold(Fraction(c))

    assert made(proved, dial="c").judge(measured=-5).printed.verdict.accepted


def test_a_paper_brings_its_own_reference_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    def bound(*, c: int = 2) -> Evidence:
        x = sp.Symbol("x", positive=True)
        return forall(x, "<=", c * x**2, {x: (1, sp.oo)})

    theirs = Claim(id="XX:1", check=bound, reference={})
    with pytest.raises(ValueError, match="XX brings no instance; add it"):
        theirs()
    at = replace(RADEMACHER, values={"x": sp.Integer(5)})
    monkeypatch.setattr("proofs_check.core.claim.OF_PAPER", {"XX": at})
    assert theirs().reference == 10
    assert replace(theirs, reference={"x": 7}).judge().held.reference == 14


def test_what_a_claim_takes_for_granted_stands_in_its_evidence() -> None:
    def at_least_two(*, c: int = 3) -> Evidence:
        return threshold(Fraction(c)).replace(assumes=("x real",)) if c >= 2 else threshold(Fraction(c))

    j = made(at_least_two, dial="c", assumes=(MEANS,)).judge()
    assert j.held.assumes == ("x real", MEANS)
    assert j.control is not None
    assert j.control.assumes == ()  # a witness rests on nothing of the kind
