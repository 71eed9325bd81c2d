"""The errata: what is false and nothing else, on pages that need nothing but themselves."""

import json
import re
from dataclasses import replace
from functools import cache
from unittest.mock import patch

import pytest

from numerics.evidence import Verdict
from numerics.terminal.inputs import InputError
from proofs_check.core.judging import load_claims
from proofs_check.core.ledgers.ledger import write_json
from proofs_check.core.ledgers.outcomes import account
from proofs_check.papers import witnesses
from proofs_check.papers.statements import all_rows
from proofs_check.reports.cli import main
from proofs_check.reports.documents.errata import as_html, as_latex, as_markdown, errata_of
from proofs_check.reports.documents.errata.content import number
from proofs_check.reports.documents.errata.entries import Copy
from proofs_check.reports.documents.errata.markdown import WIDTH, github
from proofs_check.reports.documents.latex import words
from tests.proofs_check.core.ledgers import QUICK, document, line, made_up
from tests.proofs_check.reports.pages.page import Page


@pytest.fixture(scope="module", autouse=True)
def scripts_run_once():
    """The same scripts print the same: running them anew for each errata takes most of the time."""
    run = witnesses.run
    known = cache(lambda texts: run(dict(texts)))
    with patch.object(witnesses, "run", lambda texts, **_: known(tuple(texts.items()))):
        yield


def entry(*lines, row="BB:CC.3.b"):
    return next(e for e in errata_of(document(*lines), "BB").entries if e.id == row)


def erratum(*lines, id="BB:CC.3.b"):
    return next(x for x in entry(*lines, row=id.split("/")[0]).errors if x.id == id)


def seen(text):
    """What a reader sees of a page, or of a Markdown file."""
    return " ".join(re.sub(r"</?[a-z][^>]*>", "", text).split())


def test_what_fails_in_its_own_regime_comes_first_then_the_order_of_the_paper():
    rows = ["BB:P3.1.conv", "BB:LC.1", "BB:CC.3.b", "BB:LC.4", "BB:LF.1.corner"]
    errata = errata_of(document(), "BB")
    assert [e.id for e in errata.entries] == rows
    assert account(document(), "BB").sentence == errata.count
    others = (line(id) for id in QUICK if id != "BB:LF.1.corner")
    worse = errata_of(document(*others, line("BB:LF.1.corner", severity="false")), "BB")
    assert [e.id for e in worse.entries] == [rows[-1], *rows[:-1]]


def test_the_page_opens_with_the_main_results_the_count_and_one_table():
    errata = errata_of(document(), "BB")
    for text in (as_html(errata), as_markdown(errata), as_latex(errata)):
        page = " ".join(text.split())  # Markdown breaks the lines of paragraphs
        first = "is the matrix" if "is the matrix" in page else "convex combination"
        order = ["Proposition 3.4", errata.count, first]
        assert [page.index(x) for x in order] == sorted(page.index(x) for x in order)
    for page in (as_html(errata), as_markdown(errata)):
        assert page.index("true instead") < page.index("How to read") < page.index("<details")


def test_a_line_says_where_how_grave_why_what_instead_and_at_which_cost():
    told = line("BB:CC.3.b", instead="It works with $c=139$. More follows.")
    page = as_html(errata_of(document(line("BB:LC.4/zero"), told), "BB"))
    table = page.split('class="list"')[1].split("</table>")[0]
    lines = [seen(found) for found in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)]
    assert len(lines) == 3  # the head and one for each row
    assert "Proof of Cor. C.3, both displays" in lines[1]
    assert "a false step constants change" in lines[1]
    assert "More follows" not in lines[1]
    assert "false at f = 0 only" in lines[2]
    assert "More follows" in page  # in the entry


def test_what_only_inherits_an_error_is_told_in_its_entry():
    copy = line("BB:LC.4/zero", follows="BB:CC.3.b", why="It is $0=1$ there.")
    errata = errata_of(document(line("BB:CC.3.b"), copy), "BB")
    (only,) = errata.entries
    assert [c.id for c in only.copies] == ["BB:LC.4/zero"]
    assert only.also == ("Lemma C.4",)
    assert only.copies[0].why == "It is $0=1$ there."
    assert "(1 more follows from these)" in errata.count
    for page in (as_html(errata), as_markdown(errata)):
        assert "also in Lemma C.4" in page
        assert "Lemma C.4 (false at f = 0 only, BB:LC.4/zero): It is" in seen(page).replace("`", "")
    same = entry(line("BB:CC.3.b"), line("BB:LC.4/zero", follows="BB:CC.3.b", why=line("BB:CC.3.b")["why"]))
    assert same.copies[0].why == ""


def test_no_line_says_that_its_error_is_also_where_it_stands():
    (only,) = errata_of(document(line("COL:C.8"), line("COL:C.8p/likely", follows="COL:C.8")), "COL").entries
    assert (only.short, only.also) == ("Lemma C.8", ())


def test_a_row_with_errors_of_its_own_says_what_else_it_inherits():
    second = line("BB:LC.4/zero", id="BB:LC.4/copy", follows="BB:CC.3.b", severity="gap", at="")
    made = document(line("BB:CC.3.b"), line("BB:LC.4/zero"), second)
    errata = errata_of(made, "BB")
    source, heir = errata.entries
    assert [c.id for c in heir.inherited] == ["BB:LC.4/copy"] == [c.id for c in source.copies]
    assert heir.inherited[0].entry == "BB:CC.3.b"
    assert [x.id for x in heir.errors] == ["BB:LC.4/zero"]
    assert heir.copies == source.inherited == ()


def test_a_row_with_several_errors_is_one_line_and_one_entry():
    second = line("BB:LC.4/zero", id="BB:LC.4/other", severity="gap", at="", why="Another reason.")
    (only,) = errata_of(document(line("BB:LC.4/zero"), second), "BB").entries
    assert [x.kind for x in only.errors] == ["a false step", "false at f = 0 only"]
    page = as_html(errata_of(document(line("BB:LC.4/zero"), second), "BB"))
    assert "also false at f = 0 only" in seen(page)
    assert page.count("<details>") == 1


def test_our_own_results_never_appear():
    ours = line("BB:CC.3.b", id="OURS:R1", covers="OURS:R1", paper="OURS")
    user = made_up("OURS:R1.off", "PROVED", needs=["BB:LC.4/zero"])
    for text in (as_html, as_markdown):
        assert "OURS" not in text(errata_of(document(line("BB:LC.4/zero"), ours, user), "BB"))
    with pytest.raises(InputError, match="not those of a paper"):
        errata_of(document(), "OURS")


def test_an_inference_says_that_the_statement_itself_is_true():
    assert erratum(line("BB:LC.1/inference"), id="BB:LC.1/inference").truth == ""
    for verdict, words_ in (("PROVED", r"is true \(PROVED\)"), ("SUPPORTED", "as far as it could be tested")):
        stated = made_up("BB:LC.1", verdict)
        assert re.search(words_, erratum(line("BB:LC.1/inference"), stated, id="BB:LC.1/inference").truth)
    refuted = line("BB:LC.4/zero", id="BB:LC.1", covers="BB:LC.1")
    assert erratum(line("BB:LC.1/inference"), refuted, id="BB:LC.1/inference").truth == ""


def test_what_survives_is_computed_and_listed():
    assert entry(line("BB:LE.2.gauss"), row="BB:LE.2.gauss").survives.startswith("No other line")
    user = made_up("BB:CC.3", "SUPPORTED", needs=["BB:CC.3.b"])
    standing = entry(line("BB:CC.3.b"), line("BB:CC.3.a"), line("BB:LC.4/zero"), user)
    assert "everything that uses the line stands" not in entry(line("BB:CC.3.b")).survives
    assert standing.users[0].startswith("Appendix C.1, Corollary C.3 (BB:CC.3)")
    alone = line("BB:CC.3.b", needs=["BB:CC.3.a"])
    again = entry(alone, line("BB:CC.3.a"), line("BB:LC.4.hull", needs=["BB:CC.3.b"], follows=None))
    assert again.users[0].endswith("(BB:LC.4.hull): stands with its own repair")
    broken = entry(line("BB:CC.3.b", repair=None), user)
    assert "does not stand as far as is known" in broken.users[0]


def test_what_only_the_printed_proof_uses_is_named():
    told = entry(line("BB:CC.3.b")).survives
    assert re.match(
        r"The printed proof of Propositions 3\.1 and 3\.4 and Theorems? .* \(.+\) rests on it\.", told
    )
    assert "Lemma 2.1" not in told
    assert "BB:CC.3" in all_rows()["BB:LC.4.int"].uses
    users = entry(line("BB:CC.3"), line("BB:LC.4.int"), row="BB:CC.3").users  # which no claim says
    assert any("(BB:LC.4.int)" in user for user in users)


def test_witness_script_and_what_it_prints_are_shown():
    shown = erratum(line("BB:CC.3.b"))
    assert shown.script == (witnesses.script("BB:CC.3.b") or "").strip()
    assert shown.output == witnesses.run({"x": shown.script})["x"].printed.strip()
    assert shown.witness == {"L": "10", "a2": "0", "delta": "2/3"}
    changed = f"`139` in place of `64`, gives {Verdict.CERTIFIED} (every d)"
    assert f"{changed}. This is sharp: with `138.6` it holds, with `138.5` it does not" in shown.repair
    for text in (as_html(errata_of(document(), "BB")), as_markdown(errata_of(document(), "BB"))):
        assert "delta_0 = 0.64" in text
        assert "What was checked" in text
        assert "The proof needs" in " ".join(text.split())


def test_the_names_of_the_numbers_of_a_check_are_told_to_nobody():
    named = line("BB:CC.3.b", summary="It holds for every $L$. With `c` = 64 it fails. Then it is over.")
    assert erratum(named).checked == "It holds for every $L$."
    assert erratum(line("BB:CC.3.b", summary="With `c` = 64 it fails.")).checked == ""
    errata = errata_of(document(named), "BB")
    for page in (as_html(errata), as_markdown(errata), as_latex(errata)):
        assert not re.search(r"`c\b|<code>c\b|texttt\{c\b", page)


def test_a_script_that_tells_another_story_stops_the_errata(monkeypatch):
    other = line("BB:CC.3.b")
    other["evidence"]["witness"]["L"] = 7
    with pytest.raises(InputError, match="nothing like the ledger's L = 7"):
        errata_of(document(other), "BB")
    monkeypatch.setattr(witnesses, "script", lambda id: "print(1)\nassert 1 > 2")
    with pytest.raises(InputError, match=r"witness script of BB:CC\.3\.b fails: AssertionError"):
        errata_of(document(line("BB:CC.3.b")), "BB")


def test_a_run_of_some_claims_cannot_tell_what_survives():
    with pytest.raises(InputError, match="some claims only"):
        errata_of(document(partial=True), "BB")


def test_a_claim_that_is_not_in_order_stops_the_errata():
    for lines, why in (
        (line("BB:LC.4.hull"), r"LC.4.hull is not in order: it follows the error of BB:P3.1.conv, which"),
        (line("BB:CC.3.b", severity=None), "CC.3.b is not in order: REFUTED, which it does not declare"),
        (line("BB:CC.3.b", faults=["no control was refuted"]), "BB:CC.3.b is not in order: no control"),
    ):
        with pytest.raises(InputError, match=re.escape(why)):
            errata_of(document(lines), "BB")


def test_every_formula_for_the_authors_can_be_typeset():
    for claim in load_claims().values():
        for text in (claim.why, claim.details, claim.instead, (claim.check.__doc__ or "").split("\n\n")[0]):
            assert "<math" in words(text) or "$" not in text, claim.id
            assert text.replace(r"\$", "").count("$") % 2 == 0, claim.id


def test_the_page_is_whole_and_needs_nothing_from_the_network():
    page = as_html(errata_of(document(), "BB"))
    whole = Page(page)
    entries = [id for id in whole.ids if not id.startswith("reading-")]
    assert sorted(whole.references) == sorted(f"#{id}" for id in entries)
    assert (len(set(whole.ids)), len(entries)) == (len(whole.ids), 5)
    assert "http" not in page


def test_places_are_typeset_wherever_they_stand():
    """Of an entry, of what has the same error or hands it on, and of what uses the line."""
    place = "Section 9, 'Sum $S_{L}$'"
    copy = Copy(id="BB:9", kind="gap", place=place, source=place, entry="BB:CC.3.b", why="", instead="")
    errata = errata_of(document(line("BB:CC.3.b")), "BB")
    where = dict(place=place, short=place, inherited=(copy,), copies=(copy,), users=(place,))
    told = replace(errata.entries[0], **where)
    page, text = (write(replace(errata, entries=(told,))) for write in (as_html, as_markdown))
    assert page.count("'Sum <math") == 6
    assert "Sum $" not in page
    assert "1. Section 9, 'Sum S_L': <b>" in text  # GitHub reads no formula within a summary


def test_the_markdown_reads_as_text():
    text = as_markdown(errata_of(document(), "BB"))
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert not [x for x in prose.splitlines() if len(x) > WIDTH + 60 and not x.startswith(("|", "#"))]
    assert prose.count("$") % 2 == 0
    assert not [x for x in prose.splitlines() if x.count("$") % 2]  # no formula is broken over two lines
    assert text.count("```") == 2 * len(re.findall(r"^```(?:math|python|text)$", text, flags=re.MULTILINE))


def test_the_markdown_folds_its_entries_and_no_bar_breaks_its_tables():
    barred = line("BB:CC.3.b", why="As $|x|\\leq\\|y\\|$, a|b fails.")
    text = as_markdown(errata_of(document(barred, line("BB:LC.4/zero")), "BB"))
    parts = [part.splitlines() for part in text.split("\n\n") if part.startswith("|")]
    tables = [[x for x in lines if x.startswith("|")] for lines in parts]
    cells = [{len(re.split(r"(?<!\\)\|", x)) for x in table} for table in tables]
    assert cells == [{6}, {6}, {5}]  # four or three cells, and what stands outside
    assert r"$\|x\|\leq\Vert y\Vert$, a\|b fails" in text
    assert text.count("<details id=") == text.count("</summary>\n\n") == text.count("\n\n</details>") == 2
    for id in re.findall(r"\]\(#([^)]*)\)", text):
        assert f'<details id="{id}">' in text


def test_github_gets_no_backslash_that_it_would_eat():
    assert github(r"$\|x\|\,\{y\}$ and 2*3*4 <b") == r"$\Vert x\Vert \lbrace y\rbrace$ and 2\*3\*4 \<b"
    assert github(r"`a*b` is code") == "`a*b` is code"


def test_only_numbers_that_were_changed_are_named():
    entry_ = line("BB:CC.3.b")
    entry_["numbers"] |= {"closed": True, "bound": "printed"}
    entry_["repair"]["numbers"] |= {"closed": False, "bound": "as_repaired"}
    told = erratum(entry_).repair
    changed = "The check that refutes the printed line,"
    assert told.startswith(f"{changed} with `139` in place of `64`, gives {Verdict.CERTIFIED}")
    assert "closed" not in told
    assert "bound" not in told
    entry_["repair"]["numbers"] = {"at_most": 16}  # the paper gives no such number
    assert "at_most" not in erratum(entry_).repair
    entry_["repair"]["numbers"] = {"bound": "as_repaired"}
    assert erratum(entry_).repair.startswith(f"{changed} changed accordingly, gives {Verdict.CERTIFIED}")


def test_numbers_are_short():
    long, short = f"{10**14}/{3 * 10**14 + 1}", ["0.3", "7", "1/3", "0.3333333333", "1/0/"]
    assert [number(x) for x in (0.1 + 0.2, 7, "1/3", long, "1/0/")] == short


def test_the_command_writes_both_documents(tmp_path, capsys):
    write_json(document(), tmp_path / "ledger.json")
    assert main(["errata", "--ledger", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["errata.html", "errata.md"]
    told = capsys.readouterr().out.splitlines()
    assert account(document(), "BB").sentence.rstrip(".") in told[0]
    assert "errata.md, from" in told[1]
    assert "judged on" in told[1]
    assert main(["errata", "--ledger", str(tmp_path), "--out", str(tmp_path / "out"), "--latex"]) == 0
    assert (tmp_path / "out" / "errata.tex").is_file()


def test_wrong_input_is_told_what_is_wrong(tmp_path, monkeypatch, ran):
    monkeypatch.chdir(tmp_path)

    def with_(*place, value=None):
        """A ledger with one value changed, or taken away."""
        changed = document()
        inner = changed
        for key in place[:-1]:
            inner = inner[key]
        if value is None:
            del inner[place[-1]]
        else:
            inner[place[-1]] = value
        return changed

    good = document()
    twice = good | {"claims": [*good["claims"], good["claims"][0]]}
    cases = [
        ("{", "is not JSON"),
        ([], "is not a ledger"),
        ({"a": 1}, "is not a ledger"),
        (with_("run", "schema", value=1), "has version 1"),
        (with_("claims", 0, "verdict"), "$.claims[0] has no verdict"),
        (with_("claims", 1, "stands"), "$.claims[1] has no stands"),
        (with_("run", "partial"), "$.run has no partial"),
        (twice, f"it holds {good['claims'][0]['id']} twice"),
        (with_("claims", 0, "verdict", value="TRUE"), "$.claims[0].verdict must be one of ['PROVED'"),
        (with_("claims", 1, "evidence", value=7), "$.claims[1].evidence must be object, and is 7"),
        (with_("unsettled", value=5), "$.unsettled must be array, and is 5"),
        (with_("claims", 1, "sharp", "accepted", value="1/0"), "$.claims[1].sharp"),
        (with_("claims", value="x" * 9999), "..."),
        (None, "cannot read"),
    ]
    file, kept = tmp_path / "ledger.json", tmp_path / "good.json"
    for content, told in cases:
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_text(content if isinstance(content, str) else json.dumps(content))
        for command in ("errata", "status", "blueprint"):
            complaint = ran(2, command, "--ledger", file).err
            assert told in complaint
            assert "pytest --pyargs proofs_check" in complaint
            assert len(complaint.splitlines()) == 1
            assert len(complaint) < 500
    assert not (tmp_path / "blueprint.html").exists()
    write_json(good, kept)
    out = ("--out", str(tmp_path / "o"))
    assert "'XX' names no paper" in ran(2, "errata", "--ledger", kept, "--paper", "XX", *out).err
    assert not (tmp_path / "o").exists()
    (tmp_path / "file").write_text("")
    assert "cannot write" in ran(2, "errata", "--ledger", kept, "--out", tmp_path / "file").err


def test_an_entry_on_a_damaged_line_tells_how_it_was_read():
    plain, damaged = (line("BB:CC.3.b", reading=reading) for reading in ("", "The exponent $2/d$ was read."))
    for made in (as_markdown, as_html):
        told = [seen(made(errata_of(document(line("BB:CC.3.a"), e), "BB"))) for e in (plain, damaged)]
        assert ["The text is damaged here." in text for text in told] == [False, True]
    assert "The text is damaged here. The exponent" in told[1]
