"""The one rule for a row's verdict and the one count for a paper: every reader tells the same."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from numerics.evidence import Verdict
from numerics.terminal.colours import LETTERS
from numerics.terminal.inputs import InputError
from proofs_check.core.instead import first_sentence
from proofs_check.core.ledgers import stored as kept
from proofs_check.core.ledgers.coverage import NOT_SETTLED, coverage
from proofs_check.core.ledgers.files import read_ledger
from proofs_check.core.ledgers.ledger import Ledger, write_json
from proofs_check.core.ledgers.losses import CHANGED, LOST, STANDS
from proofs_check.core.ledgers.outcomes import account, outcomes
from proofs_check.core.ledgers.stored import RELEASE, find_ledger, release_text
from proofs_check.core.ledgers.summary import details, part_summary, summary
from proofs_check.core.severity import SEVERITIES
from proofs_check.papers.statements import papers, place, rows
from proofs_check.reports.documents.blueprint.document import Site
from proofs_check.reports.documents.blueprint.render import as_html
from proofs_check.reports.documents.show import show
from proofs_check.reports.documents.status import errata, headline, status
from tests.proofs_check.core.ledgers import document, line, made_up


def error(id, severity, **changes):
    """A refuted entry with a repair that was proved."""
    told = {"at": "L = 1" * (severity == "edge"), "why": f"Why {id} fails.", "costs": "constants"}
    told |= {"instead": "Write $2$ for $1$. Then more."}
    repaired = line("BB:CC.3.b")["repair"] | {"verdict": "PROVED"}
    return made_up(id, "REFUTED", severity=severity, **({"repair": repaired} | told | changes))


def book(read):
    return Ledger(read["claims"], run=read["run"])


def printed(read, width=100_000):
    """The end of the run of a ledger."""
    return "\n".join("".join(text for text, _ in x) for x in summary(book(read), width, "kept"))


def rows_of(key):
    return sum(r.paper == key for r in rows().values())


def in_table(read, key):
    """How many rows of a paper are false, and how many not settled, by the table of the README."""
    name = "| our own:" if key == "OURS" else f"| {key}:"
    cells = [x.split("|")[2:] for x in status(read).splitlines() if x.startswith(name)]
    refuted, unsettled = (sum(int(c[i].replace(".", "0")) for c in cells) for i in (5, 7))
    return refuted, unsettled


def counts_of_kinds(told):
    return [n for s in SEVERITIES if (n := Counter(o.severity for o in told.false)[s])]


def test_every_reader_counts_alike(release):
    ends = printed(release)
    for key in papers():
        told = account(release, key)
        assert f" {rows_of(key)} rows " in told.sentence
        false = len(told.false) + len(told.following)
        assert false == sum(o.verdict == "REFUTED" for o in told.rows) == in_table(release, key)[0]
        if false:
            counted = [int(n) for n in re.findall(r"(\d+) (?:false,|gaps?|edge|text|typos?)", told.sentence)]
            assert counted == counts_of_kinds(told)
            assert f"({len(told.following)} more follow from these)" in told.sentence
            assert sum(len(told.copies(o)) for o in told.false) == len(told.following)
            assert told.losses in ends
        assert told.sentence in ends
        head = " ".join(headline(release).split()).lower()
        assert told.losses.lower() in head
        assert told.sentence.lower() in head


def test_the_main_results_are_those_that_the_papers_mark(release):
    for key in papers():
        told = account(release, key)
        assert all(len(r.says.split()) <= 30 for r in told.headline)  # two parts of a dozen words each
        marked = [place(r)[1] for r in rows().values() if r.main and r.paper == key]
        assert [r.title for r in told.headline] == list(dict.fromkeys(marked))


def test_errors_of_a_row_are_told_by_the_gravest_of_its_own():
    inherited = error("BB:LC.6", "edge", follows="BB:LC.4")
    wrong = (error("BB:LC.4", "edge"), inherited, error("BB:LC.6/nu", "typo"), error("BB:LE.2", "false"))
    told = account(document(*wrong), "BB")
    severities = [("BB:LE.2", "false"), ("BB:LC.4", "edge"), ("BB:LC.6", "typo")]
    assert [(o.id, o.severity) for o in told.false] == severities
    assert [e["id"] for e in told.false[2].errors] == ["BB:LC.6/nu", "BB:LC.6"]
    assert told.following == ()
    alone = account(document(error("BB:LC.4", "edge"), inherited), "BB")
    assert [o.id for o in alone.following] == [o.id for o in alone.copies(alone.false[0])] == ["BB:LC.6"]
    assert alone.sentence.startswith(f"1 edge case (1 more follows from these) among {rows_of('BB')} rows ")


def standing(*lines):
    """Whether each result of the first paper stands, by the ledger of some entries."""
    return {r.title: r.told for r in account(document(*lines), "BB").results}


def test_a_result_is_lost_with_an_error_without_a_repair_and_so_is_what_rests_on_it():
    user = made_up("BB:LC.6", "PROVED", needs=["BB:LC.4"])
    of_user = made_up("BB:P3.1", "SUPPORTED", needs=["BB:LC.6"])
    lost = standing(error("BB:LC.4", "false", repair=None), user, of_user)
    assert lost["Lemma C.4"] == f"{LOST}: false in its own regime; what is true instead was not executed"
    because = "which is false, and what is true instead was not executed"
    rests = f"{LOST}: it rests on Lemma C.4 (BB:LC.4), {because}"
    assert lost["Lemma C.6"] == lost["Proposition 3.1"] == rests
    mended = standing(error("BB:LC.4", "false"), user, of_user)
    assert mended["Lemma C.4"] == CHANGED
    used = f"{STANDS}; proved otherwise; its printed proof uses Lemma C.4, false as printed"
    assert mended["Lemma C.6"] == used
    # That what is undecided is not established is no word against it.
    undecided = standing(made_up("BB:LC.4", "OPEN"), user)["Lemma C.6"]
    assert undecided == f"{LOST}: it rests on Lemma C.4 (BB:LC.4), which is {NOT_SETTLED}"
    # What is true instead may be another theorem, which does not establish the printed one.
    other = standing(error("BB:LC.4", "false", costs="the theorem"), user)["Lemma C.4"]
    assert other == f"{LOST}: false in its own regime; what is true instead is another statement"


def test_a_result_collects_the_errors_of_its_printed_proof_each_once():
    """Those of the steps, of what they use, and by whatever way; what inherits an error names it no
    second time, and degenerate points and slips of notation break no proof.
    """
    proved = [made_up(id, "PROVED") for id in ("BB:T4.3", "BB:E.1", "BB:LE.1", "BB:CE.3.a", "BB:P3.1")]
    inherit = [error("BB:LE.4", "false", follows="BB:LE.2"), error("BB:LE.2.prod", "gap", follows="BB:LE.2")]
    slight = [error("BB:LC.4", "edge"), error("BB:LC.1/inference", "typo")]
    wrong = [error("BB:LE.2", "false"), *inherit, error("BB:CC.3.b", "gap"), *slight]
    told, gaps = standing(*proved, *wrong), "has gaps at Corollary C.3"
    otherwise = f"{STANDS}; proved otherwise; its printed proof"
    assert told["Theorem 4.3"] == f"{otherwise} uses Lemma E.2, false as printed, and {gaps}"
    assert told["Proposition 3.1"] == f"{otherwise} {gaps}"
    # A statement that only instances support falls with a proof that nothing mends.
    supported = [made_up("BB:T4.3", "SUPPORTED"), *proved[1:]]
    by_instances = f"{STANDS}; supported by instances, not proved here; its printed"
    assert standing(*supported, *wrong)["Theorem 4.3"].startswith(by_instances)
    unmended = [*wrong[:3], error("BB:CC.3.b", "gap", repair=None), *slight]
    assert standing(*proved, *unmended)["Theorem 4.3"] == told["Theorem 4.3"]
    falls = f"{LOST}: instances support it, but its printed proof {gaps}, which is not mended"
    assert standing(*supported, *unmended)["Theorem 4.3"] == falls


def test_a_step_in_the_own_proof_is_no_error_of_a_statement_that_is_accepted():
    step = f"{STANDS}; proved otherwise; its printed proof has a false step"
    whole, of_proof = made_up("BB:T5.2", Verdict.ARGUED), error("BB:T5.2.range/inference", "gap")
    assert standing(whole, made_up("BB:T5.2.range", "CERTIFIED"), of_proof)["Theorem 5.2"] == step
    whole = made_up("BB:LC.4", "PROVED")
    assert standing(whole, error("BB:LC.4/chain", "gap", repair=None))["Lemma C.4"] == step
    assert standing(whole, error("BB:LC.4/zero", "edge"))["Lemma C.4"] == CHANGED
    by_instances = f"{STANDS}; supported by instances, not proved here"
    assert standing(whole, made_up("BB:LC.4/two", "SUPPORTED"))["Lemma C.4"] == by_instances


def test_a_hypothesis_that_is_missing_in_what_a_result_needs_is_missing_in_it():
    needed = error("LDL:eq4.use", "gap", costs="a hypothesis")
    told = account(document(needed, made_up("LDL:L1", "PROVED", needs=["LDL:eq4.use"])), "LDL")
    found = next(r for r in told.results if r.title == "Lemma 1")
    assert (found.standing, found.change) == (CHANGED, "Write $2$ for $1$.")


def test_places_are_no_results():
    wrong = error("LDL:3.1.orth", "gap", repair=None), error("LDL:4.thr", "false", repair=None)
    told = account(document(*wrong), "LDL").results
    assert {r.title.split()[0] for r in told} == {"Lemma", "Theorem", "Proposition"}
    assert {r.reason for r in told} == {"no claim settles it"}


def test_what_is_true_instead_is_marked_wherever_nobody_executed_it(tmp_path, capsys):
    write_json(document(line("BB:CC.3.b", repair=None)), tmp_path / "ledger.json")
    assert show("CC.3.b", ledger=str(tmp_path)) == 0
    told, mended = document(error("BB:P3.1", "edge", repair=None)), document(error("BB:P3.1", "edge"))
    pages = lambda read: (headline(read), errata(read), as_html(Site(read)).html)
    for text in (capsys.readouterr().out, printed(told), *pages(told)):
        assert "(not executed)" in " ".join(text.split())
    for text in pages(mended):
        assert "(not executed)" not in text


def tangled():
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


def test_tangled_rows_are_told_alike_by_every_reader():
    read = tangled()
    read["run"]["faults"] = []  # they say what is tangled, and the tables of the README refuse it for that
    known = outcomes(read)
    assert set(read["unsettled"]) == {o.id for o in known.values() if o.verdict in ("OPEN", NOT_SETTLED)}
    assert known["BB:LC.1"].verdict == NOT_SETTLED  # only what its proof infers was judged
    for key in papers():
        told = account(read, key)
        false = {o.id for o in (*told.false, *told.following)}
        assert {o.id for o in told.rows if o.verdict == "REFUTED"} == false
        assert {o.id for o in told.rows if o.errors} == false
        assert set(coverage(read["claims"], key).unsettled) <= set(read["unsettled"])
        unsettled = sum(rows()[id].paper == key for id in read["unsettled"])
        assert in_table(read, key) == (len(false), unsettled)
    settled = {e["covers"] for e in read["claims"] if e["paper"] == "BB"} - {"BB:LC.1"}
    assert account(read, "BB").sentence == (
        f"2 gaps, 2 edge cases, 1 typo, 1 not declared among {rows_of('BB')} rows as printed; for 2 of them "
        f"what is true instead was not executed; {rows_of('BB') - len(settled)} are {NOT_SETTLED}."
    )
    ours = f"1 false among {rows_of('OURS')} rows as printed; what is true instead was executed"
    assert account(read, "OURS").sentence.startswith(ours)


def test_what_was_not_judged_is_not_called_free_of_errors():
    told = account(document(made_up("BB:LC.4", "PROVED")), "BB").sentence
    assert [int(n) for n in re.findall(r"\d+", told)] == [rows_of("BB"), rows_of("BB") - 1]
    assert told.startswith("None of ")


def test_the_errors_of_a_main_result_are_named_for_what_they_are():
    told = {r.title: r for r in account(tangled(), "BB").headline}
    assert told["Proposition 3.4"].told == f"{LOST}: open"
    undeclared = "false, which its claim does not declare; what is true instead was not executed"
    assert told["Theorem 4.3"].told == f"{LOST}: {undeclared}"
    assert told["Theorem 4.3"].verdict == told["Proposition 3.4"].verdict == "REFUTED"
    missing = standing(error("BB:T4.3", "gap", costs="a hypothesis", repair=None))["Theorem 4.3"]
    assert missing == f"{LOST}: a missing hypothesis; what is true instead was not executed"


def test_a_row_of_an_older_list_is_told_as_it_was_judged():
    gone = made_up("BB:gone", "SUPPORTED", where="Section 9", kind="INT", says="once")
    known = outcomes(document(gone, made_up("BB:LC.4", "PROVED", where="elsewhere")))
    assert (known["BB:gone"].row.where, known["BB:LC.4"].row.where) == ("Section 9", "elsewhere")
    assert known["BB:LC.4"].row.uses == rows()["BB:LC.4"].uses


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One."),
        ("With $a. B$ and c. $d$ begins.", "With $a. B$ and c."),
        ("At $x=1.5$ it is 0.5 of it. Then", "At $x=1.5$ it is 0.5 of it."),
        ("No end", "No end"),
        ("", ""),
    ],
)
def test_first_sentences_do_not_end_inside_formulas(text, first):
    assert first_sentence(text) == first


def test_the_end_of_a_run_tells_the_main_results_then_the_count_then_what_is_false():
    change = r"Ask for $L\geq 2$, or put $1+\ln L$ in place of $\ln L$. More."
    read = document(
        made_up("BB:L2.1.a", "SUPPORTED"),
        error("BB:P3.1", "edge", follows="BB:LC.6", instead=change),
        error("BB:LC.6", "edge"),
        made_up("BB:T4.3", "OPEN"),
        error("BB:LE.2", "false", why="The left side is $0$. " * 20),
        made_up("OURS:R1", "SUPPORTED"),
    )
    told, ours = account(read, "BB"), account(read, "OURS")
    story = [told.title]
    for r in told.headline:
        story += [f"  {LETTERS[r.verdict]} {r.title} ", f" {r.standing}: "]
        story += ["Ask for L ≥ 2, or put 1 + ln L in place of ln L."] * (r.title == "Proposition 3.1")
    story += [told.losses, told.sentence, "  R Lemma E.2 (BB:LE.2): The left side is 0."]
    story += [f"{r.title} {r.standing}" for r in ours.headline] + [ours.sentence]
    evidence = [(e["repair"] or e)["evidence"] for e in read["claims"]]
    drawn = [n for e in evidence for r in e["routes"] if (n := r["samples"])]
    examples = f"{len(drawn)} of them also on {sum(drawn)} drawn examples. kept"
    text = printed(read)
    for piece in (*story, f"{len(read['claims'])} claims are judged, {examples}", "show BB:LE.2`"):
        before, found, text = text.partition(piece)
        assert found, (piece, before)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_every_line_fits_and_every_cut_is_marked(release, width):
    whole = book(release)
    part = Ledger(release["claims"][60:120], {c["id"]: tuple(c["needs"]) for c in release["claims"]})
    for told in (summary(whole, width, "kept"), part_summary(part, width, "kept"), details(whole, width)):
        for pieces in told:
            text = "".join(piece for piece, _ in pieces)
            assert len(text) <= width or " " not in text.strip(), text
            for piece, _ in (pair for pair in pieces if pair[1] == "REFUTED"):
                assert piece == "  R " or "REFUTED" in piece or piece.startswith(("  ", LOST[:6]))
    reasons = [e["why"] for e in release["claims"] if e["severity"] == "false" and not e["follows"]]
    assert sum("…" in "".join(p for p, _ in pieces) for pieces in summary(whole, 40, "")) >= len(reasons)


def test_the_release_speaks_for_the_papers(release):
    assert read_ledger(RELEASE) == release
    assert release["run"]["partial"] is False
    assert release["run"]["faults"] == []
    assert release_text(release) == RELEASE.read_text(encoding="utf-8")


def test_ledgers_are_read_in_this_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_ledger().path == RELEASE
    assert "the ledger of the release, judged on" in find_ledger().says
    write_json(document(partial=True), tmp_path / "build" / kept.PARTIAL)
    assert find_ledger().path == RELEASE
    write_json(document(), tmp_path / "build" / kept.WHOLE)
    assert find_ledger().path == Path("build/ledger.json")
    assert re.fullmatch(r"build/ledger\.json, judged on 20.*\)", find_ledger().says)
    other = document(line("BB:CC.3.a"), partial=True)
    write_json(other, tmp_path / "named" / kept.WHOLE)
    assert find_ledger("named").document == other
    other["run"]["reseed"] = 7
    write_json(other, tmp_path / "other.json")
    limits = "; only some claims ran for it; its random numbers are those of --reseed 7"
    assert find_ledger("other.json").says.endswith(limits)
    (tmp_path / "build" / kept.WHOLE).write_text(json.dumps({"run": {}}))
    why = r"build/ledger\.json is not a ledger.*; without build/ledger\.json, the"
    with pytest.raises(InputError, match=why):
        find_ledger()
