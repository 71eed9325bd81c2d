"""``largeprompt show``: in the order in which a reader asks, in mathematics, on any screen."""

import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode, formula_as_unicode
from proofs_check.core.ledgers.coverage import NOT_SETTLED
from proofs_check.core.ledgers.ledger import Ledger, write_json
from proofs_check.core.ledgers.outcomes import outcomes
from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.papers.registered import collections, drop_folder, limited
from proofs_check.papers.statements import PACKAGE, add_folder, rows
from proofs_check.reports.documents.new_paper import new_paper
from proofs_check.reports.documents.row_page import Page, from_here
from proofs_check.reports.documents.show import bibtex, show
from tests.proofs_check.core.ledgers import document, line, made_up

BOOK = Ledger(json.loads(RELEASE.read_text(encoding="utf-8"))["claims"])


def kept_in(folder, *lines, **how):
    """A folder with the ledger of some entries, or of the quick claims."""
    write_json(document(*lines, **how), folder / "ledger.json")
    return str(folder)


def shown(*lines, id="BB:CC.3.b", width=100, latex=False):
    """The page of a row, by the ledger of some entries."""
    book = Ledger(lines)
    made, out = page(width, latex=latex, book=book)
    made.row(outcomes(book)[id])
    return out.getvalue()


def page(width, *, latex=False, book=BOOK):
    out = io.StringIO()
    return Page(Console(file=out, width=width, highlight=False, markup=False, emoji=False), book, latex), out


@pytest.fixture(autouse=True)
def release(tmp_path, monkeypatch):
    """Where no run kept a ledger, that of the release is read."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def kept(tmp_path):
    """A ledger of the quick claims."""
    return kept_in(tmp_path)


@pytest.mark.parametrize("name", ["Lemma C.1", "LC.1.am", "LC.1.M"])
def test_places_are_told_without_latex(name, tmp_path, capsys):
    false = line("BB:LC.1.am/choice", id="BB:LC.1.am", verdict="REFUTED", severity="typo", why="It fails.")
    assert show(name, ledger=kept_in(tmp_path, false, made_up("BB:LC.1.M", "CERTIFIED"))) == 0
    text = capsys.readouterr().out
    assert "'Control of S_L'" in text
    assert "$" not in text


def test_the_verdict_and_its_reason_come_first(kept, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "300")  # the folder of a test may have a long name
    assert show("CC.3.b", ledger=kept) == 0
    text = capsys.readouterr().out
    repaired = f"as repaired {line('BB:CC.3.b')['repair']['verdict']}"
    story = [
        *("BB:CC.3.b", "Corollary C.3", "verdict", "REFUTED, a false step", repaired, "why", "instead"),
        *("costs", "as printed:", "as checked with c = 64, front = 1:", "as repaired with c = 139:"),
        *(
            "witness",
            "L = 10, a2 = 0, delta = 2/3 (evaluated again by Arb)",
            "run it",
            "bb_cc_3_b.py",
            "evidence",
        ),
        *("sharp", "slack", "\nneeds", "source", "corollary_c3.py:", f"From {kept}"),
    ]
    places = [text.index(word) for word in story]
    assert places == sorted(places)


def test_both_formulas_are_those_of_the_ledger(kept, capsys):
    entry = line("BB:CC.3.b")
    show("CC.3.b", ledger=kept)
    said = " ".join(capsys.readouterr().out.split())
    for before, after, latex in (
        ("as printed:", "claim", rows()["BB:CC.3.b"].printed),
        ("as checked with c = 64, front = 1:", "as repaired", entry["evidence"]["checked"]),
        ("as repaired with c = 139:", "witness", entry["repair"]["evidence"]["checked"]),
    ):
        shown = said.partition(before)[2].partition(f" {after} ")[0]
        assert shown.split() == formula_as_unicode(latex).split()


def test_the_repaired_formula_never_stands_as_the_checked_one():
    """An engine that refutes by instances received no formula."""
    entry = line("BB:CC.3.b")
    entry["evidence"]["checked"] = ""
    assert "as checked" not in (text := shown(entry))
    assert "as repaired with c = 139:" in text


def test_the_verdict_names_the_part_that_is_false(capsys):
    show("BB:LC.1")
    named = "REFUTED, a slip of notation (BB:LC.1/inference); as repaired"
    assert named in " ".join(capsys.readouterr().out.split())


def test_latex_is_printed_whole_and_only_if_asked_for(kept, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    show("BB:CC.3.b", ledger=kept, latex=True)
    text = capsys.readouterr().out
    assert rows()["BB:CC.3.b"].printed in text
    assert line("BB:CC.3.b")["repair"]["evidence"]["checked"] in text
    show("BB:CC.3.b", ledger=kept)
    assert not re.search(r"[\\$]", capsys.readouterr().out)


def test_a_row_shows_each_of_its_claims(kept, capsys):
    show("BB:LC.4", ledger=kept)
    text = capsys.readouterr().out
    assert "BB:LC.4/zero" in text
    assert "false at f = 0 only" in text


def test_one_claim_of_a_row(capsys):
    show("BB:LC.4/zero")
    text = capsys.readouterr().out
    # Where the folder of the suite has a long name, 80 columns fold the path.
    assert "lemma_c4.py" in "".join(text.split())
    assert "BB:LC.4/one-token" not in text


def test_a_numbered_statement_is_a_line_a_row_and_why_its_false_rows_are_false(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    show("bb:lemma c.4")
    text = capsys.readouterr().out
    found = {id: o for id, o in outcomes(BOOK).items() if id == "BB:LC.4" or id.startswith("BB:LC.4.")}
    lines = re.findall(r"^([A-Z-]) [ *] (\S+)", text, flags=re.MULTILINE)
    assert [id for _, id in lines] == list(found)
    reasons = re.findall(r"^(BB:\S+)  .*\nverdict +REFUTED.*\nwhy +(.*)\ninstead", text, flags=re.MULTILINE)
    assert dict(reasons) == {id: as_unicode(o.errors[0]["why"]) for id, o in found.items() if o.errors}


def test_a_row_without_a_claim_says_so(kept, capsys):
    assert show("BB:LD.1", ledger=kept) == 0
    text = capsys.readouterr().out
    assert NOT_SETTLED in text
    assert "no claim settles this row yet" in text
    assert "as printed:" in text


def test_an_error_that_follows_says_from_which():
    text = shown(line("BB:CC.3.b"), line("BB:P3.1.conv", follows="BB:CC.3.b"), id="BB:P3.1.conv")
    assert "the error of BB:CC.3.b, and is not counted again" in text


@pytest.mark.parametrize(("width", "each"), [(60, 1), (120, 8)])
def test_every_row_fits_the_screen_and_holds_no_latex(width, each):
    made, out = page(width)
    for o in list(outcomes(BOOK).values())[::each]:
        made.row(o)
    text = out.getvalue()
    assert max(map(cell_len, text.splitlines())) <= width
    assert [shown for shown in text.splitlines() if re.search(r"[\\$]", shown)] == []
    empty = r"^as (?:printed|checked|repaired).*:\n\s*\n"
    assert re.findall(empty, text, re.MULTILINE) == []


def test_a_formula_that_is_cut_says_so():
    long = line("BB:CC.3.a", id="BB:LC.2", covers="BB:LC.2")
    long["evidence"]["checked"] = "+".join(["x_{k}"] * 2000)
    text = shown(long, id="BB:LC.2", width=80)
    assert "more characters: --latex prints all)" in " ".join(text.split())
    assert long["evidence"]["checked"] in shown(long, id="BB:LC.2", width=80, latex=True)


def test_the_command_of_the_script_runs_from_where_the_user_stands(kept, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for here in (PACKAGE.parent, PACKAGE / "boursier_boyer", elsewhere):
        monkeypatch.chdir(here)
        show("CC.3.b", ledger=kept)
        text = capsys.readouterr().out
        command = shlex.split(text.partition("run it")[2].partition("\n")[0])
        done = subprocess.run([sys.executable, *command[1:]], capture_output=True, text=True, check=True)
        assert done.stdout
        source = re.search(r"source +(\S+):\d+", text)
        assert source
        assert Path(source[1]).is_file()
        assert Path(source[1]).is_absolute() == (here == elsewhere)


def test_a_path_with_a_space_can_be_typed(tmp_path, monkeypatch):
    folder = tmp_path / "a b"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    assert from_here(folder / "x.py") == "a b/x.py"
    monkeypatch.chdir(folder)
    assert from_here(tmp_path / "y.py") == str(tmp_path / "y.py")


def test_a_ledger_that_contradicts_itself_is_refused(tmp_path):
    edited = line("BB:CC.3.b")
    edited["repair"]["evidence"]["witness"] = {"L": 1}
    with pytest.raises(InputError, match=r"the ledger contradicts itself: .* with --again"):
        show("BB:CC.3.b", ledger=kept_in(tmp_path, edited))


def test_a_source_that_is_gone_is_not_named():
    assert "gone.py" not in shown(line("BB:CC.3.a", line="proofs_check/gone.py:3"), id="BB:CC.3.a")


def test_again_judges_now(tmp_path, capsys):
    older = line("BB:CC.3.a", verdict="OPEN", open="not tried")
    older["evidence"] |= dict(verdict="OPEN", reason="not tried", weakest=None, argument="", slack=None)
    kept_in(tmp_path, older)
    assert show("BB:CC.3.a", ledger=str(tmp_path)) == 0
    assert "verdict  OPEN" in capsys.readouterr().out
    assert show("BB:CC.3.a", ledger=str(tmp_path), again=True) == 0
    text = capsys.readouterr().out
    assert "verdict  OPEN" not in text
    assert "Judged now" in text


def test_a_faulty_claim_that_is_judged_again_ends_with_status_one(kept, monkeypatch):
    faulty = lambda id, reseed: line("BB:CC.3.a", faults=["it cannot fail"])
    monkeypatch.setattr("proofs_check.core.judging.run_claim", faulty)
    assert show("BB:CC.3.a", ledger=kept, again=True) == 1


def test_other_random_numbers_need_another_run(kept):
    with pytest.raises(InputError, match="add --again"):
        show("CC.3.b", ledger=kept, reseed=3)


def test_a_row_on_a_damaged_line_tells_how_it_was_read():
    told = [shown(line("BB:CC.3.b", reading=r)) for r in ("", "The exponent $2/d$ was read.")]
    assert ["was read" in text for text in told] == [False, True]


def fields(entry):
    """The fields of a BibTeX entry of one line each."""
    return dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))


def test_a_verdict_is_cited_with_its_day_and_the_code(kept, tmp_path):
    run = json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))["run"]
    entry = bibtex("CC.3.b", ledger=kept)
    assert entry.startswith("@misc{largeprompt-bb-cc-3-b,\n")
    cited, repaired = fields(entry), line("BB:CC.3.b")["repair"]["verdict"]
    assert cited["title"].startswith(f"{{BB:CC.3.b: REFUTED, a false step; as repaired {repaired}")
    assert cited["author"] == "{The largeprompt authors}"
    assert cited["year"] == run["date"][:4]
    assert run["date"][:10] in cited["howpublished"]
    assert run["code"] in cited["howpublished"]
    assert "Corollary C.3" in cited["note"]
    assert "arXiv:2512.11784v2" in cited["note"]
    part = fields(bibtex("BB:LC.1/inference", ledger=kept))["title"]
    assert part.startswith("{BB:LC.1/inference: REFUTED, a slip of notation")


def test_a_verdict_of_a_part_of_a_run_is_cited_as_such(tmp_path):
    told = fields(bibtex("CC.3.b", ledger=kept_in(tmp_path, partial=True)))["howpublished"]
    assert "only some claims ran for it" in told


def test_several_rows_have_no_one_verdict_to_cite(ran):
    assert "name one, see: largeprompt show 'BB:Lemma C.4'" in ran(2, "show", "BB:Lemma C.4", "--bibtex").err


def test_verdicts_of_the_release_make_entries_that_bibtex_reads():
    for id in list(rows())[::12]:
        entry = bibtex(id)
        assert entry.isascii()
        assert entry.count("{") == entry.count("}")
        assert set(fields(entry)) == {"author", "title", "year", "howpublished", "note"}


def test_of_several_ledgers_the_one_with_the_verdict_is_cited(tmp_path):
    """Nobody but their authors answers for the claims of a folder."""
    before = collections()
    for year, key in ((2031, "ONE"), (2032, "TWO")):
        new_paper(tmp_path / key, f"Paper {key}", key, "")
        kept = document(made_up(f"{key}:L1", "PROVED"))
        kept["run"]["date"] = f"{year}-05-01T00:00:00+00:00"
        write_json(kept, tmp_path / key / "build" / "ledger.json")
    try:
        found = [add_folder(tmp_path / key) for key in ("ONE", "TWO")]
        with limited(found):
            cited = [fields(bibtex(f"{key}:L1")) for key in ("ONE", "TWO")]
    finally:
        for collection in collections()[len(before) :]:
            drop_folder(collection)
    assert [c["year"] for c in cited] == ["2031", "2032"]
    assert all("author" not in c for c in cited)
    assert cited[1]["note"] == "Section 1, Lemma 1; of: Paper TWO"
