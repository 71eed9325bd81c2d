"""The one rule for a row's verdict and the one count for a paper: every reader tells the same."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from numerics.terminal.inputs import InputError
from proofs_check.core import kept
from proofs_check.core.coverage import coverage
from proofs_check.core.files import read_ledger
from proofs_check.core.instead import first_sentence
from proofs_check.core.kept import RELEASE, find_ledger, release_text
from proofs_check.core.ledger import Ledger, write_json
from proofs_check.core.outcomes import account, outcomes
from proofs_check.core.severity import SEVERITIES
from proofs_check.core.summary import details, part_summary, summary
from proofs_check.papers.statements import papers, place, rows
from proofs_check.reports.documents.blueprint.document import Site
from proofs_check.reports.documents.blueprint.render import as_html
from proofs_check.reports.documents.show import show
from proofs_check.reports.documents.status import errata, headline, status
from tests.proofs_check.core.ledgers import document, line, made_up

GOLDEN = Path(__file__).parent / "golden"


def error(id: str, severity: str, **changes: Any) -> dict[str, Any]:
    """A refuted entry with a repair that was proved."""
    told = {
        "at": "L = 1" if severity == "edge" else "",
        "why": f"Why {id} fails.",
        "instead": "Write $2$ for $1$. Then more.",
    }
    repaired = line("BB:CC.3.b")["repair"] | {"verdict": "PROVED"}
    return made_up(
        id, "REFUTED", severity=severity, **({"repair": repaired, "costs": "constants"} | told | changes)
    )


def test_every_reader_counts_alike(release: dict[str, Any]) -> None:
    """The numbers of the sentence add up, and are those of the README's table and of the lists."""
    for key in papers():
        told = account(release, key)
        assert f" {len(told.rows)} rows " in told.sentence
        assert len(told.rows) == sum(r.paper == key for r in rows().values())
        false = sum(o.verdict == "REFUTED" for o in told.rows)
        assert false == len(told.false) + len(told.following)
        if false:
            counted = [int(n) for n in re.findall(r"(\d+) (?:false,|gaps?|edge|text|typos?)", told.sentence)]
            assert counted == [n for s in SEVERITIES if (n := Counter(o.severity for o in told.false)[s])]
            assert f"({len(told.following)} more follow from these)" in told.sentence
            assert sum(len(told.copies(o)) for o in told.false) == len(told.following)
        name = "| our own:" if key == "OURS" else f"| {key}:"
        cells = [x.split("|")[2:] for x in status(release).splitlines() if x.startswith(name)]
        assert sum(int(c[5].replace(".", "0")) for c in cells) == false
        assert all(
            text.lower() in " ".join(headline(release).split()).lower()
            for text in (told.losses, told.sentence)
        )
    printed = "\n".join(
        "".join(text for text, _ in x)
        for x in summary(Ledger(release["claims"], run=release["run"]), 500, "")
    )
    assert all(account(release, key).sentence in printed for key in papers())
    assert all(account(release, key).losses in printed for key in papers() if account(release, key).false)


def test_the_main_results_are_named_by_the_papers(release: dict[str, Any]) -> None:
    wanted = (
        "Lemma 2.1",
        "Proposition 3.1",
        "Proposition 3.4",
        "Theorem 4.3",
        "Theorem 5.2",
        "Remark 5.3",
        "Lemma F.1",
    )
    assert tuple(h.title for h in account(release, "BB").headline) == wanted
    for key in papers():
        told = account(release, key)
        assert all(len(r.says.split()) <= 30 for r in told.headline)  # two parts of a dozen words each
        assert {r.title for r in told.headline} == {
            place(r)[1] for r in rows().values() if r.main and r.paper == key
        }


def test_errors_of_a_row_are_told_by_the_gravest_of_its_own() -> None:
    inherited = error("BB:LC.6", "edge", follows="BB:LC.4")
    told = account(
        document(error("BB:LC.4", "edge"), inherited, error("BB:LC.6/nu", "typo"), error("BB:LE.2", "false")),
        "BB",
    )
    assert [(o.id, o.severity) for o in told.false] == [
        ("BB:LE.2", "false"),
        ("BB:LC.4", "edge"),
        ("BB:LC.6", "typo"),
    ]
    assert [e["id"] for e in told.false[2].errors] == ["BB:LC.6/nu", "BB:LC.6"]
    assert told.following == ()
    alone = account(document(error("BB:LC.4", "edge"), inherited), "BB")
    assert [o.id for o in alone.following] == [o.id for o in alone.copies(alone.false[0])] == ["BB:LC.6"]
    assert alone.sentence.startswith(
        "1 edge case (1 more follows from these) among 164 rows as printed; what is true instead was "
    )


def standing(*lines: dict[str, Any]) -> dict[str, str]:
    """Whether each result of the first paper stands, by the ledger of some entries."""
    return {r.title: r.told for r in account(document(*lines), "BB").results}


def test_a_result_is_lost_with_an_error_without_a_repair_and_so_is_what_rests_on_it() -> None:
    user = made_up("BB:LC.6", "PROVED", needs=["BB:LC.4"])
    of_user = made_up("BB:P3.1", "SUPPORTED", needs=["BB:LC.6"])
    lost = standing(error("BB:LC.4", "false", repair=None), user, of_user)
    assert (
        lost["Lemma C.4"] == "not established: false in its own regime; what is true instead was not executed"
    )
    rests = "not established: it rests on Lemma C.4 (BB:LC.4), which is false, and what is true instead was not executed"
    assert lost["Lemma C.6"] == lost["Proposition 3.1"] == rests
    mended = standing(error("BB:LC.4", "false"), user, of_user)
    assert mended["Lemma C.4"] == "stands with a change"
    assert (
        mended["Lemma C.6"] == "stands; proved otherwise; its printed proof uses Lemma C.4, false as printed"
    )
    # That what is undecided is not established is no word against it.
    assert (
        standing(made_up("BB:LC.4", "OPEN"), user)["Lemma C.6"]
        == "not established: it rests on Lemma C.4 (BB:LC.4), which is not settled"
    )
    # What is true instead may be another theorem, which does not establish the printed one.
    other = standing(error("BB:LC.4", "false", costs="the theorem"), user)
    assert (
        other["Lemma C.4"]
        == "not established: false in its own regime; what is true instead is another statement"
    )


def test_a_result_collects_the_errors_of_its_printed_proof_each_once() -> None:
    """Those of the steps, of what they use, and by whatever way; what inherits an error names it no
    second time, and degenerate points and slips of notation break no proof.
    """
    proved = [made_up(id, "PROVED") for id in ("BB:T4.3", "BB:E.1", "BB:LE.1", "BB:CE.3.a", "BB:P3.1")]
    wrong = [
        error("BB:LE.2", "false"),
        error("BB:LE.4", "false", follows="BB:LE.2"),
        error("BB:LE.2.prod", "gap", follows="BB:LE.2"),
        error("BB:CC.3.b", "gap"),
        error("BB:LC.4", "edge"),
        error("BB:LC.1/inference", "typo"),
    ]
    told = standing(*proved, *wrong)
    assert told["Theorem 4.3"] == (
        "stands; proved otherwise; its printed proof uses Lemma E.2, false as printed, and has gaps at Corollary C.3"
    )
    assert told["Proposition 3.1"] == "stands; proved otherwise; its printed proof has gaps at Corollary C.3"
    # A statement that only instances support falls with a proof that nothing mends.
    supported = [made_up("BB:T4.3", "SUPPORTED"), *proved[1:]]
    assert standing(*supported, *wrong)["Theorem 4.3"].startswith(
        "stands; supported by instances, not proved here; its printed"
    )
    unmended = [*wrong[:3], error("BB:CC.3.b", "gap", repair=None), *wrong[4:]]
    assert standing(*proved, *unmended)["Theorem 4.3"] == told["Theorem 4.3"]
    assert standing(*supported, *unmended)["Theorem 4.3"] == (
        "not established: instances support it, but its printed proof has gaps at Corollary C.3, which is not mended"
    )


def test_a_step_in_the_own_proof_is_no_error_of_a_statement_that_is_accepted() -> None:
    told = standing(
        made_up("BB:T5.2", "ARGUED"),
        made_up("BB:T5.2.range", "PROVED"),
        error("BB:T5.2.range/inference", "gap"),
    )
    assert told["Theorem 5.2"] == "stands; proved otherwise; its printed proof has a false step"
    whole, step = made_up("BB:LC.4", "PROVED"), error("BB:LC.4/chain", "gap", repair=None)
    assert (
        standing(whole, step)["Lemma C.4"] == "stands; proved otherwise; its printed proof has a false step"
    )
    assert standing(whole, error("BB:LC.4/zero", "edge"))["Lemma C.4"] == "stands with a change"
    assert (
        standing(whole, made_up("BB:LC.4/two", "SUPPORTED"))["Lemma C.4"]
        == "stands; supported by instances, not proved here"
    )


def test_a_hypothesis_that_is_missing_in_what_a_result_needs_is_missing_in_it() -> None:
    needed = error("LDL:eq4.use", "gap", costs="a hypothesis")
    told = account(document(needed, made_up("LDL:L1", "PROVED", needs=["LDL:eq4.use"])), "LDL")
    found = next(r for r in told.results if r.title == "Lemma 1")
    assert (found.standing, found.change) == ("stands with a change", "Write $2$ for $1$.")


def test_places_are_no_results() -> None:
    told = account(
        document(error("LDL:3.1.orth", "gap", repair=None), error("LDL:4.thr", "false", repair=None)), "LDL"
    )
    assert {r.title.split()[0] for r in told.results} == {"Lemma", "Theorem", "Proposition"}
    assert {r.reason for r in told.results} == {"no claim settles it"}


def test_what_is_true_instead_is_marked_wherever_nobody_executed_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = document(line("BB:CC.3.b", repair=None))
    (tmp_path / "ledger.json").write_text(json.dumps(real), encoding="utf-8")
    assert show("CC.3.b", ledger=str(tmp_path)) == 0
    told = document(error("BB:P3.1", "edge", repair=None))
    terminal = "\n".join("".join(text for text, _ in x) for x in summary(Ledger(told["claims"]), 100, ""))
    for text in (capsys.readouterr().out, terminal, headline(told), errata(told), as_html(Site(told)).html):
        assert "(not executed)" in " ".join(text.split())
    mended = document(error("BB:P3.1", "edge"))
    for text in (headline(mended), errata(mended), as_html(Site(mended)).html):
        assert "(not executed)" not in text


def tangled() -> dict[str, Any]:
    """A ledger of rows whose claims say different things of them."""
    undecided = line("BB:CC.3.b")["repair"] | {"verdict": "OPEN"}
    return document(
        made_up("BB:P3.4.V", "PROVED"),
        made_up("BB:P3.4.V/part", "OPEN", open="nobody knows"),
        error("BB:P3.4.V/inference", "gap"),
        error("BB:P3.4.U", "edge", at="f = 0"),
        error("BB:LC.4", "edge", follows="BB:LC.6"),  # which did not run
        error("BB:LC.7", "typo", follows="BB:LC.4"),
        error("BB:CC.3", "gap", costs="a hypothesis", repair=undecided),
        made_up("BB:LC.9", "PROVED", needs=["BB:CC.3"]),
        made_up("BB:LC.1/inference", "PROVED"),
        made_up("BB:T4.3", "REFUTED", severity=None, why="", instead=""),
        error("OURS:R1", "false", follows="BB:P3.4.U"),
    )


def test_tangled_rows_are_told_alike_by_every_reader() -> None:
    read = tangled()
    read["run"]["faults"] = []  # they say what is tangled, and the tables of the README refuse it for that
    known = outcomes(read)
    assert set(read["unsettled"]) == {o.id for o in known.values() if o.verdict in ("OPEN", "not settled")}
    assert known["BB:LC.1"].verdict == "not settled"  # only what its proof infers was judged
    for key in papers():
        told = account(read, key)
        false = [o.id for o in told.rows if o.verdict == "REFUTED"]
        assert (
            set(false)
            == {o.id for o in told.rows if o.errors}
            == {o.id for o in (*told.false, *told.following)}
        )
        assert set(coverage(read["claims"], key).unsettled) <= set(read["unsettled"])
        name = "| our own:" if key == "OURS" else f"| {key}:"
        cells = [x.split("|")[2:] for x in status(read).splitlines() if x.startswith(name)]
        assert sum(int(c[5].replace(".", "0")) for c in cells) == len(false)
        assert sum(int(c[7].replace(".", "0")) for c in cells) == len(
            [id for id in read["unsettled"] if rows()[id].paper == key]
        )
    assert account(read, "BB").sentence == (
        "2 gaps, 2 edge cases, 1 typo, 1 not declared among 164 rows as printed; "
        "for 2 of them what is true instead was not executed; 157 are not settled."
    )
    of_ours = sum(r.paper == "OURS" for r in rows().values())
    assert account(read, "OURS").sentence.startswith(
        f"1 false among {of_ours} rows as printed; what is true instead was executed"
    )


def test_what_was_not_judged_is_not_called_free_of_errors() -> None:
    read = document(made_up("BB:LC.4", "PROVED"))
    assert (
        account(read, "BB").sentence
        == "None of 164 rows was found to be false as printed; 163 are not settled."
    )


def test_the_errors_of_a_main_result_are_named_for_what_they_are() -> None:
    told = {r.title: r for r in account(tangled(), "BB").headline}
    assert told["Proposition 3.4"].told == "not established: open"
    assert (
        told["Theorem 4.3"].told
        == "not established: false, which its claim does not declare; what is true instead was not executed"
    )
    assert told["Theorem 4.3"].verdict == told["Proposition 3.4"].verdict == "REFUTED"
    missing = standing(error("BB:T4.3", "gap", costs="a hypothesis", repair=None))
    assert (
        missing["Theorem 4.3"]
        == "not established: a missing hypothesis; what is true instead was not executed"
    )


def test_a_row_of_an_older_list_is_told_as_it_was_judged() -> None:
    gone = made_up("BB:gone", "SUPPORTED", where="Section 9", kind="INT", says="once")
    known = outcomes(document(gone, made_up("BB:LC.4", "PROVED", where="elsewhere")))
    assert known["BB:gone"].row.where == "Section 9"
    assert known["BB:LC.4"].row.where == "elsewhere"
    assert known["BB:LC.4"].row.uses == rows()["BB:LC.4"].uses


def test_first_sentences_do_not_end_inside_formulas() -> None:
    for text, first in (
        ("One. Two.", "One."),
        ("With $a. B$ and c. $d$ begins.", "With $a. B$ and c."),
        ("At $x=1.5$ it is 0.5 of it. Then", "At $x=1.5$ it is 0.5 of it."),
        ("No end", "No end"),
        ("", ""),
    ):
        assert first_sentence(text) == first


def small() -> Ledger:
    """A run with main results of every kind, a false lemma, and rows that no claim settles."""
    read = document(
        made_up("BB:L2.1.a", "ARGUED"),
        made_up("BB:L2.1.b", "PROVED"),
        error(
            "BB:P3.1",
            "edge",
            follows="BB:LC.6",
            instead=r"Ask for $L\geq 2$, or put $1+\ln L$ in place of $\ln L$. More.",
        ),
        error("BB:LC.6", "edge"),
        made_up("BB:T4.3", "OPEN"),
        error(
            "BB:T5.2/inference",
            "gap",
            instead=r"Let $\kappa=\max(1,\|\Sigma\|_{\rm op}^{1/2})$ and check the assumption there.",
        ),
        made_up("BB:T5.2", "CERTIFIED"),
        error(
            "BB:LE.2",
            "false",
            why=r"Every term of the bound carries $\mathbb{E}[\|y_{\rm q}\|^{4}]^{1/4}$, but the left side "
            * 5,
        ),
        made_up("OURS:R1", "SUPPORTED"),
    )
    return Ledger(read["claims"], run=read["run"])


@pytest.mark.parametrize("width", [80, 120])
def test_the_end_of_a_run_is_that_of_the_golden_file(width: int) -> None:
    """After a change that is meant: delete the files, run this test twice, and read them."""
    told = summary(small(), width, "The ledger is kept in build/ledger.json.")
    text = "".join("".join(piece for piece, _ in pieces).rstrip() + "\n" for pieces in told)
    path = GOLDEN / f"summary_{width}.txt"
    if not path.exists():
        path.write_text(text, encoding="utf-8")
        pytest.fail(f"{path} is written; read it, and run the test again")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_every_line_fits_and_every_cut_is_marked(release: dict[str, Any], width: int) -> None:
    whole = Ledger(release["claims"], run=release["run"])
    part = Ledger(release["claims"][60:120], {c["id"]: tuple(c["needs"]) for c in release["claims"]})
    for told in (summary(whole, width, "kept"), part_summary(part, width, "kept"), details(whole, width)):
        for pieces in told:
            text = "".join(piece for piece, _ in pieces)
            assert len(text) <= width or " " not in text.strip(), text
            for piece, mark in pieces:
                assert (
                    mark != "REFUTED"
                    or piece == "  R "
                    or "REFUTED" in piece
                    or piece.startswith(("  ", "not es"))
                )
    reasons = [e["why"] for e in release["claims"] if e["severity"] == "false" and not e["follows"]]
    assert sum("…" in "".join(p for p, _ in pieces) for pieces in summary(whole, 40, "")) >= len(reasons)


def test_the_release_speaks_for_the_papers(release: dict[str, Any]) -> None:
    assert read_ledger(RELEASE) == release
    assert release["run"]["partial"] is False
    assert release["run"]["faults"] == []
    assert release_text(release) == RELEASE.read_text(encoding="utf-8")


def test_ledgers_are_read_in_this_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_ledger().path == RELEASE
    assert "the ledger of the release, judged on" in find_ledger().says
    write_json(document(partial=True), tmp_path / "build" / kept.PARTIAL)
    assert find_ledger().path == RELEASE
    write_json(document(), tmp_path / "build" / kept.WHOLE)
    assert find_ledger().path == Path("build/ledger.json")
    assert find_ledger().says.startswith("build/ledger.json, judged on 20")
    assert find_ledger().says.endswith(")")
    other = document(line("BB:CC.3.a"), partial=True)
    other["run"]["reseed"] = 7
    write_json(other, tmp_path / "other.json")
    assert find_ledger("other.json").says.endswith(
        "; only some claims ran for it; its random numbers are those of --reseed 7"
    )
    write_json(document(line("BB:CC.3.a")), tmp_path / "named" / kept.WHOLE)
    assert len(find_ledger("named").document["claims"]) == 1
    (tmp_path / "build" / kept.WHOLE).write_text(json.dumps({"run": {}}))
    with pytest.raises(
        InputError, match=r"build/ledger\.json is not a ledger.*; without build/ledger\.json, the"
    ):
        find_ledger()


def test_the_list_of_errata_says_why_and_what_instead() -> None:
    listed = errata(document(error("BB:LC.4", "edge"), error("BB:LC.6", "edge", follows="BB:LC.4")))
    assert (
        "an edge, at L = 1: Why BB:LC.4 fails. *Instead:* Write $2$ for $1$. The same error is in `BB:LC.6`."
        in listed
    )
