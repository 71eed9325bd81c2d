"""The errata: what is false and nothing else, told to an author; pages that need nothing but
themselves.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from numerics.terminal.inputs import InputError
from proofs_check.cli import main
from proofs_check.core import witnesses
from proofs_check.core.judging import load_claims
from proofs_check.core.ledger import write_json
from proofs_check.documents.errata import Erratum, as_html, as_markdown, errata_of
from proofs_check.documents.errata.content import number
from proofs_check.documents.errata.markdown import WIDTH, github
from proofs_check.documents.latex import words
from tests.numerics.pages.page import Page
from tests.proofs_check.core.ledgers import document, line, made_up


def entry(*lines: dict[str, Any], id: str = "BB:CC.3.b") -> Erratum:
    return next(e for e in errata_of(document(*lines)).entries if e.id == id)


def test_what_is_false_comes_first_by_severity_then_by_place() -> None:
    errata = errata_of(document())
    typos = ["BB:P3.1.conv", "BB:LC.1/inference", "BB:LF.1.corner"]
    assert [e.id for e in errata.entries] == ["BB:CC.3.b", "BB:LC.4/zero", *typos]
    assert errata.counts == "1 gap, 1 edge case, 3 typos"
    worse = errata_of(document(line("BB:CC.3.b", severity="typo", follows="BB:LC.4/zero"), line("BB:LC.4/zero", severity="false")))
    assert [e.severity for e in worse.entries] == ["false", "typo"]
    assert worse.counts == "1 false; 1 more follows from these"


def test_an_entry_tells_where_it_fails_what_it_costs_and_what_it_follows() -> None:
    edge = document(line("BB:CC.3.b"), line("BB:LC.4/zero", follows="BB:CC.3.b", details="It is $0=1$ there."))
    for plain in (re.sub(r"</?[a-z][^>]*>", "", as_html(errata_of(edge))), " ".join(as_markdown(errata_of(edge)).split())):
        assert "edge: f = 0" in plain
        assert "it costs nothing" in plain or "the error costs nothing" in plain
        assert re.search(r"It follows from `?\s*BB:CC\.3\.b", plain)
        assert "It is" in plain


def test_our_own_results_never_appear() -> None:
    ours = line("BB:CC.3.b", id="OURS:R1", covers="OURS:R1", paper="OURS")
    user = made_up("OURS:R1.off", "PROVED", needs=["BB:LC.4/zero"])
    for text in (as_html, as_markdown):
        assert "OURS" not in text(errata_of(document(line("BB:LC.4/zero"), ours, user)))
    with pytest.raises(InputError, match="not those of a paper"):
        errata_of(document(), "OURS")


def test_an_inference_says_that_the_statement_itself_is_true() -> None:
    alone = entry(line("BB:LC.1/inference"), id="BB:LC.1/inference")
    assert alone.truth == ""
    for verdict, words_ in (("PROVED", r"is true \(PROVED\)"), ("SUPPORTED", "as far as it could be tested")):
        stated = made_up("BB:LC.1", verdict)
        assert re.search(words_, entry(line("BB:LC.1/inference"), stated, id="BB:LC.1/inference").truth)
    refuted = made_up("BB:LC.1", "REFUTED")
    assert entry(line("BB:LC.1/inference"), refuted, id="BB:LC.1/inference").truth == ""


def test_what_survives_is_computed_and_listed() -> None:
    assert "No other line" in entry(line("BB:CC.3.b")).survives
    standing = entry(
        line("BB:CC.3.b"), line("BB:CC.3.a"), line("BB:LC.4/zero"), made_up("BB:CC.3", "SUPPORTED", needs=["BB:CC.3.b"])
    )
    assert "everything that uses the line stands" not in entry(line("BB:CC.3.b")).survives
    assert standing.users[0].startswith(line("BB:CC.3.a")["where"])
    alone = line("BB:CC.3.b", needs=["BB:CC.3.a"])
    again = entry(alone, line("BB:CC.3.a"), line("BB:LC.4.hull", needs=["BB:CC.3.b"]))
    assert again.users[0].endswith("(BB:LC.4.hull): stands with its own repair")
    broken = entry(line("BB:CC.3.b", repair=None), made_up("BB:CC.3", "SUPPORTED", needs=["BB:CC.3.b"]))
    assert "does not stand as far as is known" in broken.users[0]


def test_witness_script_and_what_it_prints_are_shown() -> None:
    shown = entry(line("BB:CC.3.b"))
    assert shown.script == (witnesses.script("BB:CC.3.b") or "").strip()
    assert shown.output == witnesses.run({"x": shown.script})["x"].printed.strip()
    assert shown.witness == {"L": "9", "a2": "0"}
    assert (
        "`c = 139` in place of `64`, gives ARGUED (parts CERTIFIED). The edge: `c = 138.6` holds, `138.5` does not" in shown.repair
    )
    for text in (as_html(errata_of(document())), as_markdown(errata_of(document()))):
        assert "delta_0/4 = 0.1975" in text
        assert "What was checked" in text
        assert "leaves room for a delta; it holds from c = 256" in " ".join(text.split())


def test_a_script_that_tells_another_story_stops_the_errata(monkeypatch: pytest.MonkeyPatch) -> None:
    other = line("BB:CC.3.b")
    other["evidence"]["witness"]["L"] = 7
    with pytest.raises(InputError, match="nothing like the ledger's L = 7"):
        errata_of(document(other))
    monkeypatch.setattr(witnesses, "script", lambda id: "print(1)\nassert 1 > 2")
    with pytest.raises(InputError, match=r"witness script of BB:CC\.3\.b fails: AssertionError"):
        errata_of(document(line("BB:CC.3.b")))


def test_a_run_of_some_claims_cannot_tell_what_survives() -> None:
    with pytest.raises(InputError, match="some claims only"):
        errata_of(document(partial=True))


def test_a_claim_that_is_not_in_order_stops_the_errata() -> None:
    with pytest.raises(InputError, match=r"BB:CC\.3\.b is not in order: no control"):
        errata_of(document(line("BB:CC.3.b", faults=["no control was refuted"])))


def test_every_formula_for_the_authors_can_be_typeset() -> None:
    for claim in load_claims().values():
        for text in (claim.why, claim.details, claim.instead):
            assert "<math" in words(text) or "$" not in text, claim.id
            assert text.replace(r"\$", "").count("$") % 2 == 0, claim.id


def test_the_page_is_whole_and_needs_nothing_from_the_network() -> None:
    page = as_html(errata_of(document()))
    seen = Page(page)
    assert sorted(seen.references) == sorted(f"#{id}" for id in seen.ids)
    assert len(set(seen.ids)) == len(seen.ids) == 5
    assert "<script" not in page
    assert "http" not in page


def test_the_markdown_reads_as_text() -> None:
    text = as_markdown(errata_of(document()))
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert not [x for x in prose.splitlines() if len(x) > WIDTH + 60 and not x.startswith(("|", "#"))]
    assert prose.count("$") % 2 == 0
    assert not [x for x in prose.splitlines() if x.count("$") % 2]  # no formula is broken over two lines
    assert text.count("```") == 2 * len(re.findall(r"^```(?:math|python|text)$", text, flags=re.MULTILINE))


def test_github_gets_no_backslash_that_it_would_eat() -> None:
    assert github(r"$\|x\|\,\{y\}$ and 2*3*4 <b") == r"$\Vert x\Vert \lbrace y\rbrace$ and 2\*3\*4 \<b"
    assert github(r"`a*b` is code") == "`a*b` is code"


def test_only_numbers_that_were_changed_are_named() -> None:
    entry_ = line("BB:CC.3.b")
    entry_["numbers"] |= {"closed": True, "bound": "printed"}
    entry_["repair"]["numbers"] |= {"closed": False, "bound": "as_repaired"}
    told = entry(entry_).repair
    assert told.startswith("The check that refutes the printed line, with `c = 139` in place of `64`, gives ARGUED")
    assert "closed" not in told
    assert "bound" not in told
    entry_["repair"]["numbers"] = {"at_most": 16}  # the paper gives no such number
    assert "at_most" not in entry(entry_).repair
    entry_["repair"]["numbers"] = {"bound": "as_repaired"}
    assert entry(entry_).repair.startswith("The check that refutes the printed line, changed accordingly, gives ARGUED")


def test_numbers_are_short() -> None:
    assert [number(x) for x in (0.1 + 0.2, 7, "1/3", "100000000000000/300000000000001", "1/0/")] == [
        "0.3", "7", "1/3", "0.3333333333", "1/0/",
    ]  # fmt: skip


def test_the_command_writes_both_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_json(document(), tmp_path / "ledger.json")
    assert main(["errata", "--ledger", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["errata.html", "errata.md"]
    assert "1 gap, 1 edge case, 3 typos; written to" in capsys.readouterr().out


def test_wrong_input_is_told_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    good = document()
    files = {
        "text.json": ("{", "is not JSON"),
        "list.json": ("[]", "is not a ledger"),
        "other.json": ('{"a": 1}', "is not a ledger"),
    }
    for name, (content, _) in files.items():
        (tmp_path / name).write_text(content)
    older = document()
    older["run"]["schema"] = 1
    write_json(older, tmp_path / "older.json")
    lacking = document()
    del lacking["claims"][0]["verdict"]
    write_json(lacking, tmp_path / "lacking.json")
    no_stands = document()
    del no_stands["claims"][1]["stands"]
    write_json(no_stands, tmp_path / "stands.json")
    write_json(good | {"claims": [*good["claims"], good["claims"][0]]}, tmp_path / "twice.json")
    write_json(good, tmp_path / "good.json")
    spoiled = {
        "verdict.json": (("claims", 0, "verdict"), "TRUE", "$.claims[0].verdict: 'TRUE' is not one of"),
        "evidence.json": (("claims", 1, "evidence"), None, "$.claims[1].evidence: None is not of type 'object'"),
        "unsettled.json": (("unsettled",), 5, "$.unsettled: 5 is not of type 'array'"),
        "edge.json": (("claims", 1, "sharp", "accepted"), "1/0", "$.claims[1].sharp"),
        "long.json": (("claims",), "x" * 9999, "..."),
    }
    for name, (path, value, _) in spoiled.items():
        changed: Any = document()
        place = changed
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        write_json(changed, tmp_path / name)
    whole = document()
    del whole["run"]["partial"]
    write_json(whole, tmp_path / "partial.json")
    cases = {
        "nowhere.json": "cannot read",
        "partial.json": "'partial' is a required property",
        "older.json": "has version 1",
        "lacking.json": "$.claims[0]: 'verdict' is a required property",
        "stands.json": "'stands' is a required property",
        "twice.json": f"it holds {good['claims'][0]['id']} twice",
    } | {name: told for name, (*_, told) in (files | spoiled).items()}
    for name, told in cases.items():
        for command in ("errata", "status", "blueprint"):
            assert main([command, "--ledger", str(tmp_path / name)]) == 2
            seen = capsys.readouterr().err
            assert told in seen
            assert "pytest proofs_check/ --ledger" in seen
            assert len(seen.splitlines()) == 1
            assert len(seen) < 500
    assert not (tmp_path / "blueprint.html").exists()
    assert main(["errata", "--ledger", str(tmp_path / "good.json"), "--paper", "XX", "--out", str(tmp_path / "o")]) == 2
    assert "no paper has the key 'XX'" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    (tmp_path / "file").write_text("")
    assert main(["errata", "--ledger", str(tmp_path / "good.json"), "--out", str(tmp_path / "file")]) == 2
    assert "cannot write" in capsys.readouterr().err
