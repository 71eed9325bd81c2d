"""``largeprompt show NAME --set c=100``: a claim judged with other numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics.terminal.inputs import InputError
from proofs_check.core.judging import load_claims
from proofs_check.reports.documents.what_if import rational, what_if


@pytest.mark.parametrize("c", [64, 138, 139, 1000])
def test_it_says_what_the_claim_says(c, capsys):
    evidence = load_claims()["BB:CC.3.b"](c=c)
    assert what_if("CC.3.b", [f"c={c}"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith(f"BB:CC.3.b with c = {c}: {evidence.word}")
    assert "As printed: c = 64, front = 1." in said
    for name, value in evidence.witness.items():
        assert f"{name} = {value}" in said


def test_where_several_claims_have_the_number_one_must_be_named(capsys):
    offered = r"BB:LC\.2 with c = 3; BB:LC\.2/markov with c = 3"
    with pytest.raises(InputError, match=f"write the id of one in full: {offered}"):
        what_if("LC.2", ["c=3"])
    assert what_if("BB:LC.2/markov", ["c = 1/3"]) == 0
    assert capsys.readouterr().out.startswith("BB:LC.2/markov with c = 1/3: REFUTED")
    assert what_if("BB:Lemma C.2", ["one=1"]) == 0  # only one claim of the lemma has it
    assert capsys.readouterr().out.startswith("BB:LC.2/variance with one = 1: ")


def test_a_derivation_that_stops_is_told_in_a_paragraph(capsys):
    """Without the two sides that the kernel compared, which are thirty lines in its own signs."""
    assert what_if("BB:LC.1", ["c=26"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    stops = "the derivation stops: not equal by normal form. As printed: c = 27."
    assert said.endswith(f"{stops} Nothing was stored.")


@pytest.mark.parametrize(
    ("name", "settings", "hint"),
    [
        ("CC.3.b", ["d=3"], "has a number called d; as printed there is BB:CC.3.b with c = 64"),
        ("CC.3.b", ["C=3"], "as printed there is BB:CC.3.b with c = 64"),
        ("CC.3.b", ["c=1", "c=2"], "c twice"),
        ("CC.3.b", ["c=-1"], "cannot be judged with c = -1"),
        ("CC.3.b", ["c="], "write NAME=VALUE"),
        ("CC.3.b", ["x"], "write NAME=VALUE"),
        ("CC.3.b", [""], "write NAME=VALUE"),
        ("CC.3.b", ["=3"], "write NAME=VALUE"),
        ("BB:LC.4/zero", ["closed=1"], "takes numbers only"),
        ("BB:F.3.3", ["mu=1"], "takes numbers only"),
        ("nonsense", ["c=1"], "no statement is called"),
        *(
            (("CC.3.b", [f"c={wrong}"], "write an integer"))
            for wrong in ("nan", "inf", "-inf", "1/0", "1 2", "0x10", "1_000", "1e9999")
        ),
        ("CC.3.b", ["c=" + "9" * 10_000], "write an integer"),
    ],
)
def test_wrong_input_is_refused_with_the_next_step(name, settings, hint):
    with pytest.raises(InputError, match=hint) as refused:
        what_if(name, settings)
    assert len(str(refused.value)) < 600


def test_a_row_without_claims_has_nothing_to_judge(monkeypatch):
    others = {id: c for id, c in load_claims().items() if c.row != "BB:CC.3.b"}
    monkeypatch.setattr("proofs_check.core.judging.load_claims", lambda: others)
    monkeypatch.setattr("proofs_check.reports.documents.what_if.declared", lambda: {id: {} for id in others})
    with pytest.raises(InputError, match="nothing to judge"):
        what_if("BB:CC.3.b", ["c=1"])


@given(st.fractions(max_denominator=10**6))
def test_numbers_are_exact(value):
    assert rational(str(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [(".25", Fraction(1, 4)), ("-1.50", Fraction(-3, 2)), ("1e-3", Fraction(1, 1000)), ("+7", 7)],
)
def test_decimal_numbers_are_exact(text, value):
    assert rational(text) == value


def test_integers_stay_integers():
    assert type(rational("100")) is int
    assert type(rational("4/2")) is int
