"""What is accepted as printed rests on nothing that the paper does not print."""

import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers.identities import identity
from numerics.provers.inequalities import forall
from numerics.terminal.inputs import InputError
from proofs_check.core.printed import by_kind, faults_of_dimension, faults_of_hypotheses
from proofs_check.papers.origins import origins
from proofs_check.papers.registered import drop_folder
from proofs_check.papers.statements import add_folder
from tests.proofs_check.papers import ROW

REFUTED = Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness={"x": 1}, witness_by="exact")
x, y = sp.symbols("x y", positive=True)


@pytest.fixture
def said(tmp_path):
    """The file of a paper of one row, before it is read."""
    (tmp_path / "statements.toml").write_text(ROW)
    made = add_folder(tmp_path)
    yield tmp_path / "hypotheses.toml"
    drop_folder(made)


def entry(kind, *says, **more):
    model = {"model": "x = 1"} if kind == "definition" else {}
    told = {"kind": kind, "says": list(says), "source": "Section 2"} | model | more
    return "[[hypothesis]]\n" + "".join(f"{name} = {value!r}\n" for name, value in told.items())


def faults(evidence, fragment="", needs=(), printed=None):
    said = evidence if printed is None else printed
    return faults_of_hypotheses("ME:L1/part", said, evidence, fragment, needs)


def assuming(*texts):
    return Evidence(verdict=Verdict.PROVED, engine="identity", assumes=texts)


def test_a_hypothesis_without_a_kind_is_a_fault(said):
    said.write_text(entry("printed", "x > 0"))
    assert faults(assuming("x > 0")) == []
    assert "where the hypothesis y > 0 comes from" in faults(assuming("x > 0", "y > 0"))[0]


def test_where_a_paper_gives_no_kinds_none_is_asked_for(said):
    assert faults(assuming("x > 0")) == []
    assert by_kind("ME:L1", assuming("x > 0")) == {"": [["x > 0", ""]]}


def test_what_was_added_is_not_accepted_as_printed(said):
    said.write_text(entry("added", "x > 0"))
    assert "accepted as printed under x > 0" in faults(assuming("x > 0"))[0]
    assert faults(assuming("x > 0"), printed=REFUTED) == []  # a repair may add it
    assert faults(assuming("x > 0"), fragment="positive x") == []


def test_the_theorem_of_a_row_is_named_among_the_needs(said):
    said.write_text(entry("theorem", "small*", source="ME:L2, as repaired"))
    assert "name that row in needs=" in faults(assuming("small: $x<1$"))[0]
    assert faults(assuming("small: $x<1$"), needs=("ME:L2/part",)) == []


def test_later_entries_are_exceptions_to_earlier_ones(said):
    later = entry("printed", "x > 0", rows=["L1*"]) + entry("definition", "x > 0", rows=["L2"])
    said.write_text(entry("added", "*") + later)
    assert list(by_kind("ME:L1/part", assuming("x > 0", "y > 0"))) == ["printed", "added"]


def test_the_marks_of_the_kernel_count_where_the_file_is_silent(said):
    said.write_text(entry("printed", "x > 0"))
    marked = assuming("given Stein's lemma: $a=b$", "argued the slope: $a=b$")
    assert by_kind("ME:L1", marked) == {
        "theorem": [["argued the slope: $a=b$", "the slope"]],
        "cited": [["given Stein's lemma: $a=b$", "Stein's lemma"]],
    }
    assert faults(marked) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (entry("guessed", "x > 0"), "the kind 'guessed'; use one of printed"),
        (entry("printed", "x > 0", source=" "), "has no source"),
        (entry("definition", "x > 0", model=""), "has a model"),
        (entry("printed", "x > 0", model="x = 1"), "has a model"),
        (entry("printed"), "does not list texts"),
        (entry("printed", "x > 0", rows="L1"), "does not list texts"),
        (entry("printed", "x > 0", row=["L1"]), "has row"),
        ("[hypothesis", "cannot read"),
        ("hypothesis = 3", "cannot read"),
        ("[[hypotheses]]", "cannot read"),
    ],
)
def test_a_list_that_is_not_in_order_is_refused(said, text, message):
    said.write_text(text)
    with pytest.raises(InputError, match=message):
        origins("ME")


def test_the_provers_say_what_they_received():
    ranged = forall(x * y, "<=", 1, {x: (0, 1), y: (0, 1)}, where=[(x, "<=", y)])
    exact = identity(x / x + y, 1 + y)
    both = all_of(ranged, exact)
    assert {r"$x \in (0, 1)$", r"$x \le y$"} <= set(ranged.assumes)
    assert set(both.assumes) == {*ranged.assumes, *exact.assumes}


@pytest.mark.parametrize(
    ("says", "assumes", "faulty"),
    [
        ("For every $d\\geq1$ it is $x^d>0$.", ("x real",), True),
        ("For every $d\\geq1$ it is $x^d>0$.", ("x real", "d integer, d > 0"), False),
        ("For every $d\\geq1$ it is $x^d>0$.", ("x real", r"$d\in\{1,2,\ldots\}$"), False),
        ("In $\\mathbb{R}^{d}$ the mean $\\int x d\\mu$ is $\\delta$.", ("x real",), False),
        ("A dull word.", ("x real",), False),
    ],
)
def test_a_dimension_that_no_engine_received_was_not_executed(says, assumes, faulty):
    held = assuming(*assumes)
    assert bool(faults_of_dimension(says, held)) is faulty
    assert faults_of_dimension(says, held.replace(engine="trace words", dimension="every d")) == []
    for weaker in (held.argued("entry by entry"), held.within("d = 2")):
        assert faults_of_dimension(says, weaker) == []


YES = "used = true, same = true, whole = true, control = true"
PART = YES.replace(", whole = true", "")
NO = "witness = true, author = true, weight = true, instead = true"


@pytest.fixture
def paper(tmp_path):
    """Adds a paper with the given rows."""
    made = []

    def add(rows):
        (tmp_path / "statements.toml").write_text(rows)
        made.append(add_folder(tmp_path))

    yield add
    for one in made:
        drop_folder(one)


@pytest.mark.parametrize(
    ("form", "asked_accepted", "asked_refuted"),
    [
        ("", "", ""),  # no row of the paper has a form: none is asked for
        (f"printed = 'x > 0', {YES}", "", "witness, author, weight, instead"),
        (NO, "printed, used, same, whole, control", ""),
        (f"printed = 'x > 0', {YES}, {NO}", "", ""),
        (f"printed = 'x > 0', {PART}", "whole", "witness, author, weight, instead"),
    ],
)
def test_a_verdict_that_nobody_held_against_the_printed_text_is_a_fault(
    paper, form, asked_accepted, asked_refuted
):
    paper(ROW + (f"read = {{on = 2026-11-29, {form}}}\n" if form else ""))
    undecided = Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason="it takes too long")
    for evidence, asked in ((assuming(), asked_accepted), (REFUTED, asked_refuted), (undecided, "")):
        found = faults(evidence)
        assert len(found) == bool(asked)
        assert all(f"nobody answered {asked};" in fault for fault in found)


def test_where_one_row_is_read_every_row_has_to_be(paper):
    other = ROW.split("[[row]]")[1].replace("ME:L1", "ME:L2")
    paper(f"{ROW}\n[[row]]{other}read = {{on = 2026-11-29, {NO}}}\n")
    assert "as printed it is REFUTED, and nobody answered witness" in faults(REFUTED)[0]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("read = true", "read has no date"),
        ("read = {on = '2026-11-29'}", "read has no date"),
        ("read = {on = 2026-11-29, sure = true}", "read answers sure; the questions are printed, used"),
        ("read = {on = 2026-11-29, used = false}", "or a sentence, and mend the row where it is a no"),
        ("read = {on = 2026-11-29, used = ' '}", "write true or a sentence"),
        ("read = {on = 2026-11-29, printed = true}", "write the hypotheses that the paper prints"),
        ("damaged = true", "is of a damaged place; say how it is read"),
        ("damaged = true\nreading = ' '", "is of a damaged place; say how it is read"),
    ],
)
def test_a_form_that_says_nothing_is_no_form(paper, row, why):
    with pytest.raises(InputError, match=why):
        paper(f"{ROW}{row}\n")
