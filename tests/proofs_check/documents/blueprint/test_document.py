"""The blueprint: valid, closed in itself, a page a claim, marks besides colours, and nothing in a
ledger can become markup.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from proofs_check.cli import main
from proofs_check.core.statements import place, rows
from proofs_check.core.witnesses import script
from proofs_check.documents.blueprint import Site, as_html
from proofs_check.documents.blueprint.document import LETTERS
from tests.numerics.pages.page import Page
from tests.proofs_check.documents.blueprint.blueprint_sample import IDS, document


@pytest.fixture(scope="module")
def html() -> str:
    made = as_html(Site(document()))
    assert made.failures == ()
    return made.html


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_the_file_is_valid_and_needs_nothing_from_outside(page: Page, html: str) -> None:
    assert [id for id, n in Counter(page.ids).items() if n > 1] == []
    assert page.tags["link"] == page.tags["img"] == page.tags["iframe"] == 0
    assert "url(" not in html
    assert "@import" not in html


def test_every_row_and_every_claim_has_a_page(page: Page, html: str) -> None:
    assert set(rows()) <= set(page.ids)
    for id in IDS:
        assert f'data-claim="{id}"' in html
        assert id in page.ids


def test_every_link_leads_somewhere(page: Page) -> None:
    assert page.references
    assert [link for link in page.references if not link.startswith("#") or unquote(link[1:]) not in page.ids] == []


def test_every_verdict_has_a_letter_besides_its_colour(html: str) -> None:
    marks = re.findall(r'<span class="mark ([^"]*)"[^>]*>([^<]*)', html)
    letter = {"v-" + verdict.lower().replace(" ", "-"): mark for verdict, mark in LETTERS.items()}
    assert {kind for kind, _ in marks} == set(letter)
    assert [m for m in marks if not m[1].startswith(letter[m[0]])] == []
    assert len(set(letter.values())) == len(letter)


def test_formulas_are_mathml_and_nothing_is_left_in_latex(page: Page, html: str) -> None:
    assert page.tags["math"] > 500
    assert 'class="unread"' not in html
    shown = re.sub(r"<script>.*?</script>|<style>.*?</style>|<pre.*?</pre>|<[^>]*>", "", html, flags=re.DOTALL)
    assert re.findall(r"\\[a-zA-Z]+", shown) == []


def test_a_refuted_claim_tells_its_story(html: str) -> None:
    claim = html.split('data-claim="BB:CC.3.b"')[1].split("</article>")[0]
    text = script("BB:CC.3.b")
    assert text is not None
    told = [
        "REFUTED",
        "gap",
        "Why it fails",
        "True instead",
        "Checked, as repaired",
        "c = 64",
        "c = 139",
        "Witness",
        "bb_cc_3_b.py",
        "Sharp constant",
    ]
    assert [claim.index(word) for word in told] == sorted(claim.index(word) for word in told)
    assert "delta_0 / 4" in text.replace("delta_0/4", "delta_0 / 4")
    for word in ("Slack", "Control", "Rests on", "data-copy"):
        assert word in claim


def test_our_own_rows_show_their_proofs(html: str) -> None:
    page = html.split('id="OURS:R4.b"')[1].split("</section>")[0]
    assert "<h3>Proof</h3>" in page
    assert "Stein" in page


def test_needs_and_users_are_shown_both_ways(html: str) -> None:
    needed = html.split('data-claim="BB:LC.4.t0"')[1].split("</article>")[0]
    users = needed.split('aria-label="used by"')[1]
    assert "BB:LC.4.lo" in users


def test_a_theorem_shows_what_its_steps_give_away() -> None:
    spoiled = document()
    for c in spoiled["claims"]:
        c["slack_at_reference"] = {"BB:LC.4.lo": 12.0, "BB:LC.4.t0": 3.0}.get(c["id"])
    made = as_html(Site(spoiled)).html.split('id="BB:LC.4.lo"')[1].split("</section>")[0]
    chain = made.split("What each step gives away")[1].split("</table>")[0]
    assert "BB:LC.4.lo" in chain
    assert "BB:LC.4.t0" in chain
    assert "width:100.0%" in chain
    assert [int(d) for d in re.findall(r"--depth: (\d+)", chain)] == [0, 1]


def test_the_landing_page_counts_lists_and_warns(html: str) -> None:
    landing = html.split('id="overview"')[1].split("</section>")[0]
    assert f"{len(IDS)} claims" in landing
    assert "Only a part of the claims ran" in landing
    for id in ("BB:CC.3.b", "BB:LC.1.am", "BB:B.2/limit"):  # errata
        assert f">{id}</b>" in landing.split('id="errata"')[1].split("<h2")[0]
    assert "OURS:R1.LC4" in landing.split('id="weakest"')[1].split("<h2")[0]  # it needs OURS:R1, which did not run
    assert "BB:S6.f1a" in landing.split('id="unsettled"')[1].split("<h2")[0]


def test_the_same_ledger_gives_the_same_file(html: str) -> None:
    assert as_html(Site(document())).html == html


EVIL = '</script></pre><script>alert("x")</script><img src=x onerror=alert(1)> & "quoted" \' $x<y$'


def test_nothing_in_a_ledger_becomes_markup(html: str) -> None:
    spoiled = document()
    for c in spoiled["claims"]:
        for name in ("summary", "says", "why", "instead", "argument", "unproved"):
            c[name] = EVIL
        c["cites"], c["hypotheses"], c["faults"] = [EVIL], [EVIL], [EVIL]
        c["evidence"] |= {"covered": EVIL, "reason": EVIL, "dimension": EVIL, "assumes": [EVIL], "engine": EVIL}
        if c["evidence"]["witness"]:
            c["evidence"]["witness"] = {EVIL: EVIL}
    spoiled["run"]["faults"] = [EVIL]
    made = Page(as_html(Site(spoiled)).html)
    assert made.tags["script"] == Page(html).tags["script"]
    assert made.tags["img"] == 0


def test_a_formula_that_cannot_be_read_is_shown_as_it_is_and_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spoiled = document()
    spoiled["claims"][0]["checked"] = r"\unknown{<b>}"
    spoiled["claims"][0]["evidence"]["parts"] = []
    (tmp_path / "ledger.json").write_text(json.dumps(spoiled), encoding="utf-8")
    assert main(["blueprint", "--ledger", str(tmp_path), "--out", str(tmp_path / "new" / "b.html")]) == 1
    assert r"\unknown is not known" in capsys.readouterr().err
    made = (tmp_path / "new" / "b.html").read_text(encoding="utf-8")
    assert '<code class="unread">\\unknown{&lt;b&gt;}</code>' in made


def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ledger.json").write_text(json.dumps(document()), encoding="utf-8")
    assert main(["blueprint", "--ledger", str(tmp_path / "ledger.json"), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "blueprint.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "written to" in capsys.readouterr().out


def test_without_a_ledger_the_command_tells_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["blueprint"]) == 2
    assert "pytest proofs_check/ --ledger DIR" in capsys.readouterr().err


def test_an_older_list_of_statements_is_still_drawn() -> None:
    old = document()
    old["claims"][0] |= {"id": "BB:gone/part", "covers": "BB:gone"}
    old["claims"][5]["printed"] = r"\text{what was judged}"
    html = as_html(Site(old)).html
    assert "what was judged" in html
    assert {"BB:gone", "BB:gone/part"} <= set(Page(html).ids)


@pytest.mark.parametrize(
    ("id", "section", "title"),
    [
        ("BB:LC.4.int", "Appendix C.2", "Lemma C.4"),
        ("BB:P3.4.V", "Section 3", "Proposition 3.4"),
        ("BB:A.1", "Appendix A.1", "Appendix A.1"),
        ("BB:C.7.gV", "Appendix C.7", "Appendix C.7"),
        ("BB:E.1", "Appendix E.1", "Theorem 4.3"),
        ("BB:29", "Appendix F.1", "Lemma F.1"),
        ("OURS:R1.off", "Results", "R1"),
        ("OURS:R4.B", "Results", "Theorem B"),
    ],
)
def test_rows_are_gathered_into_the_statement_they_belong_to(id: str, section: str, title: str) -> None:
    assert place(rows()[id]) == (section, title)
