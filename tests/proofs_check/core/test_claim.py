"""The claim core is fed wrong claims of every sort and must catch each of them."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.provers import forall
from numerics.seeds import current_seed
from proofs_check.core.claim import MEANS, REGISTRY, Claim, claim
from proofs_check.instances.reference import RADEMACHER
from tests.proofs_check.core.made import ROW, at_least_two, opened, proved

pytestmark = pytest.mark.usefixtures("nobody_read_the_row")
FALSE = dict(false="gap", why="the edge is 2", instead="$c \\geq 2$", costs="constants")


def made(check, **how):
    REGISTRY.pop(f"{ROW}/{check.__name__}", None)
    return claim(f"{ROW}/{check.__name__}", **how)(check)


def faults(check, **how):
    return "\n".join(made(check, **how).judge().faults)


def holds_from_two(*, c=3):
    return at_least_two(Fraction(c))


def fails_at_one(*, c=1):
    return at_least_two(Fraction(c))


def bound(*, c=2):
    x = sp.Symbol("x", positive=True)
    return forall(x, "<=", c * x, {x: (0, sp.oo)})


def test_a_sound_claim_has_no_faults_and_knows_its_edge():
    j = made(holds_from_two, sharp="c").judge()
    assert j.faults == ()
    assert j.sharp.refuted < 2 <= j.sharp.accepted < Fraction(2003, 1000)
    assert j.sharp.word == "sharp"
    assert j.sharp.slack(Fraction(3)) == pytest.approx(1.5, rel=2e-3)


def test_undeclared_and_wrongly_declared_verdicts_and_repairs_are_caught():
    def undecided(*, c=1):
        return opened()

    assert "came out OPEN" in faults(undecided)
    assert faults(undecided, open="two variables") == ""
    half = dict(c=Fraction(3, 2))
    assert "declared REFUTED, but came out PROVED" in faults(holds_from_two, **FALSE, control=half)
    assert "declare it with false=" in faults(fails_at_one, sharp="c")
    repaired = faults(fails_at_one, **FALSE, repair=half)
    assert "the repair {'c': Fraction(3, 2)} came out REFUTED" in repaired


def test_a_check_must_return_evidence_and_take_keywords_with_defaults():
    def nothing(*, c=1):
        return True

    with pytest.raises(TypeError, match="returned bool"):
        made(nothing)()
    with pytest.raises(TypeError, match="keyword-only"):
        claim(f"{ROW}/positional")(lambda c: proved())
    with pytest.raises(ValueError, match="has no number called 'k'"):
        made(bound, sharp="k")
    with pytest.raises(TypeError, match="has no number called k"):
        made(bound)(k=2)


def test_names_are_unique_and_well_formed():
    claim(f"{ROW}/one")(lambda: proved())
    with pytest.raises(ValueError, match="two claims are named"):
        claim(f"{ROW}/one")(lambda: proved(covered="other"))
    for bad in ("CC.3.b", "BB:", "bb:x", "BB:a/b/c", "BB:a b"):
        with pytest.raises(ValueError, match="is not an id"):
            claim(bad)


def test_the_streams_belong_to_the_id_and_to_reseed():
    seeds = []

    def drawing(*, c=1):
        seeds.append(current_seed())
        return opened()

    made_claim = made(drawing, open="only the seed matters")
    for reseed in (0, 0, 1):
        made_claim.judge(reseed)
    assert seeds[0] == seeds[1] != seeds[2]
    assert current_seed() == 0


def test_a_bound_that_says_nothing_at_the_reference_instance_is_caught(monkeypatch):
    monkeypatch.setattr("proofs_check.core.printed.origins", lambda key: None)  # it has no kinds
    asked = made(bound, sharp="c", reference=dict(x=1))
    assert asked.judge().held.reference == 2
    assert asked(c=3).reference == 3
    assert asked.judge().faults == ()
    assert "no value for x" in faults(bound, sharp="c", reference={})
    assert "evaluates nothing there" in faults(holds_from_two, sharp="c", reference={})
    assert made(bound, sharp="c").judge().held.reference is None


def test_measurements_reach_the_checks_that_declare_them_and_their_controls():
    def measuring(*, c=3, measured=None):
        return at_least_two(Fraction(c + (measured or 0)))

    judged = made(measuring, control=dict(c=-3))
    assert judged.judge().printed.verdict.accepted
    given = judged.judge(measured=-5)
    assert (given.printed.verdict, given.control.verdict) == (Verdict.REFUTED, Verdict.REFUTED)
    assert made(holds_from_two, sharp="c").judge(measured=-5).printed.verdict.accepted


def test_a_paper_brings_its_own_reference_instance(monkeypatch):
    theirs = Claim(id="XX:1", check=bound, reference={})
    with pytest.raises(ValueError, match="XX brings no instance; add it"):
        theirs()
    square = lambda *, c=2: forall(x, "<=", c * x**2, {x: (1, sp.oo)})
    x, theirs = sp.Symbol("x", positive=True), replace(theirs, check=square)
    at = replace(RADEMACHER, values={"x": sp.Integer(5)})
    monkeypatch.setattr("proofs_check.core.claim.OF_PAPER", {"XX": at})
    assert theirs().reference == 10
    assert replace(theirs, reference={"x": 7}).judge().held.reference == 14


def test_what_a_claim_takes_for_granted_stands_in_its_evidence():
    def for_reals(*, c=3):
        return at_least_two(Fraction(c)).replace(assumes=("x real",) if c >= 2 else ())

    j = made(for_reals, sharp="c", assumes=(MEANS,)).judge()
    assert j.held.assumes == ("x real", MEANS)
    assert j.control.assumes == ()  # a witness rests on nothing of the kind
