"""What a reader types means what the paper prints; what may mean several things is refused."""

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode
from proofs_check.papers.statements import papers, place, rows
from proofs_check.reports.documents.names import named, named_paper


@pytest.mark.parametrize("id", rows())
def test_every_id_means_its_row(id):
    assert [r.id for r in named(id).rows] == [id]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("CC.3.b", "BB:CC.3.b"),
        ("  bb:cc.3.B ", "BB:CC.3.b"),
        ("c.3.b", "BB:CC.3.b"),
        ("glue.a", "BB:LC.1.glue.a"),
        ("eq. 16", "BB:16"),
        ("Equation (16)", "BB:16"),
        ("(16)", "BB:16"),
        ("(25)", "BB:24-27"),
        ("eq. 1", "BB:P3.1"),
        ("bb:lemma   c.4", "Lemma C.4"),
        ("Prop. 3.1", "Proposition 3.1"),
        ("thm 5.2", "Theorem 5.2"),
        ("ours:Theorem A", "Theorem A"),
        ("OURS:R4.a", "OURS:R4.a"),
        ("OURS:R4.A", "OURS:R4.A"),
    ],
)
def test_names(text, title):
    assert named(text).title == title


def test_a_numbered_statement_has_all_its_rows_in_printed_order():
    found, of_BB = named("BB:Lemma C.4"), [r for r in rows().values() if r.paper == "BB"]
    assert [r.id for r in found.rows] == [r.id for r in of_BB if place(r)[1] == "Lemma C.4"]
    assert found.claim == ""


def test_what_several_papers_number_alike_is_asked_for_with_the_key():
    with pytest.raises(InputError, match="statement of several papers") as refused:
        named("lemma c.4")
    offered = re.findall("^  '([^']+)'", str(refused.value), flags=re.MULTILINE)
    assert offered == ["BB:Lemma C.4", "COL:Lemma C.4"]
    assert all({r.paper for r in named(key).rows} == {key.partition(":")[0]} for key in offered)


def test_an_equation_beside_a_row_is_not_the_row():
    assert named("(12)").title == "BB:12"
    assert "equation (4)" in rows()["BB:4.bilin"].where
    with pytest.raises(InputError, match="no row states the equation"):
        named("(4)")


@pytest.mark.parametrize("text", ["P3.1", "3.b", "b", "4"])
def test_what_may_mean_several_rows_is_listed_with_places(text):
    with pytest.raises(InputError, match="give one by its id") as refused:
        named(text)
    listed = re.findall(r"^  (\S+) +(.+)$", str(refused.value), flags=re.MULTILINE)
    assert len(listed) > 1
    assert all(as_unicode(rows()[id].where) == where for id, where in listed)
    assert all(named(id).title == id for id, _ in listed)


def test_the_nearest_names_are_listed_without_latex():
    with pytest.raises(InputError) as refused:
        named("BB:LC.1.RLL")
    assert re.search(r"BB:LC\.1\.RL +Appendix C\.1, 'Control of R_L', display", str(refused.value))


@pytest.mark.parametrize(
    "text",
    ["", " ", "BB:", "../x", "eq. 999", "eq.", "/", "Lemma", "x" * 10_000, "BB:CC.3.bb", "\0", "(((", "ℓ"],
)
def test_an_unknown_name_is_refused_with_the_next_step(text):
    with pytest.raises(InputError, match=r"largeprompt list|rows state \(") as refused:
        named(text)
    assert len(str(refused.value)) < 1000


def test_the_nearest_are_named():
    with pytest.raises(InputError, match=r"(?s)the nearest are:.*BB:CC\.3\.b .*both displays"):
        named("BB:CC.3.bb")


def test_parts_of_rows():
    claims = ["BB:LC.1", "BB:LC.1/inference", "BB:LC.2/markov"]
    assert named("lc.1/Inference", claims).claim == "BB:LC.1/inference"
    with pytest.raises(InputError, match=r"the claims of BB:LC\.1 are: BB:LC\.1, BB:LC\.1/inference"):
        named("BB:LC.1/nothing", claims)
    many = len(named("BB:Lemma C.1").rows)
    with pytest.raises(InputError, match=f"has {many} rows; name one"):
        named("Lemma C.1/inference", claims)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_a_name_or_refused(text):
    with suppress(InputError):
        assert named(text).rows


def test_papers():
    assert {key: named_paper(title) for key, title in papers().items()} == {key: key for key in papers()}
    for text in ("", "s", "nothing", "x" * 10_000):
        with pytest.raises(InputError, match="give the key of one"):
            named_paper(text)
