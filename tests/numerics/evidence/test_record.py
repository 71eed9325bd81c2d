"""An Evidence that would say more than was executed cannot be built, however it is spelled."""

import math
from fractions import Fraction
from typing import Any

import pytest

from numerics.evidence import Contradiction, Evidence, Verdict, all_of, confirmed

WITNESS: dict[str, Any] = dict(verdict=Verdict.REFUTED, witness={"x": 1}, witness_by="exact")


def proved(**more: Any) -> Evidence:
    return Evidence(verdict=Verdict.PROVED, engine="exact arithmetic", **more)


def certified(**more: Any) -> Evidence:
    return Evidence(verdict=Verdict.CERTIFIED, engine="branch and bound", **more)


def supported(**more: Any) -> Evidence:
    return Evidence(verdict=Verdict.SUPPORTED, engine="enumeration", covered="L = 1, 2", **more)


def refuted(**more: Any) -> Evidence:
    return Evidence(**{**WITNESS, "engine": "exact arithmetic", **more})


PROOF, ARGUED = {"verdict": "PROVED"}, {"verdict": "ARGUED", "argument": "by words"}
JOINED = {"verdict": "PROVED", "engine": "conjunction"}
SAMPLED: dict[str, Any] = dict(verdict="SUPPORTED", engine="Monte Carlo", covered="n = 9")
LIES: dict[str, dict[str, Any]] = {
    "no error probability": dict(SAMPLED, error=-5),
    "no error probability; give": dict(SAMPLED, error=math.nan),
    "no error probability; give a number": dict(SAMPLED, error=1.0),
    "without parts says nothing": JOINED,
    "it is its weakest part": dict(JOINED, parts=(supported(),)),
    "one of its parts must be": dict(WITNESS, engine="conjunction", parts=(proved(),)),
    "received no matrix of every size": dict(verdict="PROVED", engine="identity", dimension="every d"),
    "no matrix of every size; leave": dict(JOINED, parts=(proved(),), dimension="every d"),
    "wrong way round": dict(verdict="CERTIFIED", engine="branch and bound", margin=-0.1),
    "below the truth": dict(verdict="PROVED", engine="exact arithmetic", slack=0.9),
    "above the truth": dict(WITNESS, engine="exact arithmetic", slack=1.1),
    "no standard error of the slack None": dict(SAMPLED, slack_error=0.1),
    "no standard error": dict(SAMPLED, slack=2.0, slack_error=-0.1),
    "one of the programs is wrong": dict(verdict="PROVED", engine="identity", routes=(refuted(),)),
    "one of the programs is wrong; find": dict(WITNESS, engine="identity", routes=(proved(),)),
    "draws samples": dict(WITNESS, engine="Monte Carlo"),
    "no number; give a point": dict(WITNESS, engine="exact arithmetic", witness={"x": math.nan}),
    "no number; give a": dict(WITNESS, engine="exact arithmetic", witness={"x": math.inf}),
    "needs its coverage": dict(verdict="SUPPORTED", engine="enumeration", covered="  "),
    "needs a reason": dict(verdict="OPEN", engine="identity", reason=" "),
    "needs a witness": dict(verdict="REFUTED", engine="identity", witness_by="exact"),
    "with a witness contradicts itself": dict(verdict="PROVED", engine="identity", witness={"x": 1}),
    "ARGUED, and nothing else": dict(verdict="ARGUED", engine="identity"),
    "ARGUED, and nothing": dict(ARGUED, engine="identity", weakest="SUPPORTED"),
    "and nothing else, comes": dict(PROOF, engine="identity", argument="by words", weakest="PROVED"),
    "can at most say CERTIFIED": dict(verdict="PROVED", engine="branch and bound"),
    "can at most say SUPPORTED": dict(ARGUED, engine="quadrature", weakest="PROVED"),
    "is SUPPORTED at most": dict(verdict="PROVED", engine="identity", error=1e-9),
    "at most 1e-6": dict(WITNESS, engine="quadrature", witness_by="two routes", disagreement=1e-3),
    "at most 1e-9": dict(WITNESS, engine="Clopper-Pearson", witness_by="statistics", error=1e-6),
    "no engine is called": dict(verdict="PROVED", engine="intuition"),
}


@pytest.mark.parametrize("complaint", LIES)
def test_what_says_too_much_cannot_be_built(complaint):
    with pytest.raises(ValueError, match=complaint):
        Evidence(**LIES[complaint])


def test_a_slack_of_one_may_be_rounded():
    assert proved(slack=1 - 1e-12).slack is not None
    assert refuted(slack=1 + 1e-12).slack is not None


def test_a_witness_stays_the_point_that_was_found():
    found = refuted(witness={"x": Fraction(1, 3)})
    assert found.replace(witness={"x": Fraction(1, 3), "L": 2}).witness["L"] == 2
    # the point in other variables
    assert dict(found.replace(witness={"delta": "1/9"}).witness) == {"delta": "1/9"}
    with pytest.raises(ValueError, match="no longer the point that was found"):
        found.replace(witness={"x": Fraction(1, 2)})


def test_an_argument_lowers_what_was_executed_and_nothing_else():
    expected = (Verdict.ARGUED, Verdict.PROVED)
    assert (proved().argued("joined").verdict, proved().argued("joined").weakest) == expected
    for other in (supported(), refuted(), proved().argued("once")):
        assert other.argued("joined") is other
    for whole in (proved(), certified(), proved().argued("once"), supported()):
        part = whole.within("d = 1 only")
        assert part.verdict is Verdict.SUPPORTED
        assert part.covered.startswith("d = 1 only")
    assert refuted().within("d = 1 only").verdict is Verdict.REFUTED


def test_the_order_of_verdicts_and_of_what_is_joined():
    order = [Verdict(name) for name in ("REFUTED", "OPEN", "SUPPORTED", "ARGUED", "CERTIFIED", "PROVED")]
    assert sorted(Verdict, key=lambda v: v.strength) == order
    joined = all_of(proved(), certified(), proved().argued("one"), certified().argued("two"))
    expected = (Verdict.ARGUED, Verdict.CERTIFIED, "one; two")
    assert (joined.verdict, joined.weakest, joined.argument) == expected
    assert all_of(joined, supported()).verdict is Verdict.SUPPORTED
    assert (all_of(joined, supported()).weakest, all_of(joined, refuted()).verdict) == (None, Verdict.REFUTED)


def test_a_conjunction_has_the_least_slack_with_its_error_or_that_of_its_false_part():
    assert [all_of(e, proved(slack=3.0)).slack for e in (refuted(slack=0.5), refuted())] == [0.5, None]
    sampled = supported(slack=2.0, slack_error=0.1)
    assert [all_of(proved(slack=s), sampled).slack_error for s in (3.0, 1.5)] == [0.1, 0]


def test_routes_that_contradict_are_an_error():
    argued = certified().argued("joined")
    for primary, route in ((proved(), refuted()), (refuted(), proved()), (refuted(), argued)):
        with pytest.raises(Contradiction):
            confirmed(primary, route)
    assert confirmed(proved(), supported()).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "e", [proved(), certified().argued("joined"), refuted(), all_of(proved(), supported())]
)
def test_json_keeps_everything(e):
    assert Evidence.from_json(e.to_json()) == e


def test_an_evidence_is_no_truth_value():
    for e in (proved(), refuted()):
        with pytest.raises(TypeError, match=r"ask for its verdict\.accepted"):
            bool(e)


@pytest.mark.parametrize("wrong", [None, True, "PROVED", Verdict.PROVED, {}])
def test_only_evidence_is_joined(wrong):
    for parts in ((wrong,), (Evidence(verdict=Verdict.PROVED, engine="identity"), wrong)):
        for join in (all_of, confirmed):
            with pytest.raises(TypeError, match="is no Evidence; give what an engine returned"):
                join(*parts)
