"""The blueprint: valid, closed in itself, counted as everywhere, and no ledger makes markup."""

import colorsys
import contextlib
import io
import json
import re
from collections import Counter
from html import unescape
from urllib.parse import unquote

import pytest

from numerics.evidence import Verdict
from proofs_check.core.instead import first_sentence
from proofs_check.core.ledgers.coverage import NOT_SETTLED
from proofs_check.core.ledgers.outcomes import account
from proofs_check.papers.statements import papers, place, rows
from proofs_check.papers.witnesses import script
from proofs_check.reports.cli import main
from proofs_check.reports.documents.blueprint import Site, as_html
from proofs_check.reports.documents.blueprint.document import LETTERS
from tests.proofs_check.reports.documents.blueprint.blueprint_sample import IDS, document
from tests.proofs_check.reports.pages.page import Page


@pytest.fixture(scope="module")
def html():
    made = as_html(Site(document()))
    assert made.failures == ()
    return made.html


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


@pytest.fixture(scope="module")
def changed():
    """The blueprint of another ledger: to make one takes longer than to look at it."""
    other = document()
    claims = {c["id"]: c for c in other["claims"]}
    claims["BB:CC.3.b"]["repair"] = None
    claims["BB:B.2"]["verdict"] = "OPEN"  # the error of BB:B.2/limit is repaired
    claims[IDS[0]]["summary"] = r"The bound is $\frac{L}{8}$, and `square` is 1 for a `<b>`."
    for id, c in claims.items():
        c["slack_at_reference"] = {"BB:C.7.fin/powers": 12.0, "BB:C.7.moments": 3.0}.get(id)
    made = as_html(Site(other))
    assert made.failures == ()
    return made.html


@pytest.fixture(scope="module")
def accounts(release):
    return {key: account(release, key) for key in papers()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The blueprint that the command writes in a folder without a ledger, and what it prints."""
    folder, printed = tmp_path_factory.mktemp("nothing-here"), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        assert main(["blueprint"]) == 0
    return (folder / "blueprint.html").read_text(encoding="utf-8"), printed.getvalue()


def section(html, id):
    """The page of that id."""
    return re.split(rf'<section class="page[^"]*" id="{re.escape(id)}"', html)[1].split("</section>")[0]


def text_of(html):
    """The words of a piece of a page."""
    return " ".join(re.sub(r"<[^>]*>", "", html).split())


def test_the_file_is_valid_and_needs_nothing_from_outside(page, html):
    assert [id for id, n in Counter(page.ids).items() if n > 1] == []
    assert page.tags["link"] == page.tags["img"] == page.tags["iframe"] == 0
    assert "url(" not in html
    assert "@import" not in html


def test_every_row_and_every_claim_has_a_page(page, html):
    assert set(rows()) <= set(page.ids)
    for id in IDS:
        assert f'data-claim="{id}"' in html
        assert id in page.ids


def test_every_link_leads_somewhere(page):
    assert page.references
    assert {link[0] for link in page.references} == {"#"}
    assert {unquote(link[1:]) for link in page.references} <= set(page.ids)


def test_every_verdict_has_a_letter_besides_its_colour(html):
    dots = re.findall(r'<span class="mark ([^"]*)"[^>]*>([^<]*)</span>', html)
    drawn = re.findall(r'<circle class="([^"]*)"[^>]*/><text class="letter"[^>]*>([^<]*)<', html)
    letter = {"v-" + verdict.lower().replace(" ", "-"): mark for verdict, mark in LETTERS.items()}
    assert {kind for kind, _ in dots} == set(letter)
    assert len(drawn) == html.count("<circle") > 0
    # A count stands apart: R2 is a theorem of ours.
    assert [dot for dot in dots + drawn if dot[1] != letter[dot[0]]] == []
    assert len(set(letter.values())) == len(letter)


def test_the_legend_names_every_letter_on_whatever_page(html):
    legend = html.split('<footer class="legend" ')[1].split(">", 1)[1].split("</footer>")[0]
    assert "<footer" not in html.split("<main")[1].split("</main>")[0]
    for verdict, letter in LETTERS.items():
        assert f"{letter} {verdict.lower()}" in text_of(legend)
    assert 'href="#reading"' in legend


def rgb(colour):
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def contrast(one, other):
    """The ratio of luminances as the Web Content Accessibility Guidelines define it."""

    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb(colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read_and_mean_verdicts(scheme, html):
    schemes = re.findall(r":root \{(.*?)\}", html, re.DOTALL)
    blocks = [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in schemes]
    colour = blocks[0] if scheme == "light" else blocks[0] | blocks[1]
    verdicts = {verdict: colour[verdict.lower().replace(" ", "-")] for verdict in LETTERS}
    for verdict, tone in verdicts.items():
        for ground in ("page", "panel"):
            assert contrast(tone, colour[ground]) >= 4.5, (verdict, ground)
        if verdict != NOT_SETTLED:  # its letter stands on the page
            assert contrast(tone, colour["onmark"]) >= 4.5, verdict
    hue = {verdict: 360 * colorsys.rgb_to_hls(*rgb(tone))[0] for verdict, tone in verdicts.items()}
    assert hue["REFUTED"] < 20
    assert all(75 < hue[verdict] < 165 for verdict in ("PROVED", "CERTIFIED"))
    assert not any(65 < hue[verdict] < 190 for verdict in set(Verdict) - {"PROVED", "CERTIFIED"})
    assert len(set(verdicts.values())) == len(verdicts)


def test_formulas_are_mathml_and_nothing_is_left_in_latex(page, html):
    assert page.tags["math"] > 500
    assert 'class="unread"' not in html
    hidden = r"<script>.*?</script>|<style>.*?</style>|<pre.*?</pre>|<[^>]*>"
    shown = re.sub(hidden, "", html, flags=re.DOTALL)
    assert re.findall(r"\\[a-zA-Z]+", shown) == []
    assert "Control of <math" in section(html, "BB:LC.1.CL").split("<h1>")[0]


def test_a_refuted_claim_tells_its_story(html):
    claim = section(html, "BB:CC.3.b")
    told = [
        *("REFUTED", "as repaired", "Why it fails", "a false step", "True instead", "As printed"),
        *("Checked, as repaired", "c = 64", "c = 139", "Witness", "bb_cc_3_b.py", "Sharp constant"),
    ]
    assert [claim.index(word) for word in told] == sorted(claim.index(word) for word in told)
    assert "delta / 4 < delta_min" in script("BB:CC.3.b")
    for word in ("Slack", "Control", "Rests on", "data-copy"):
        assert word in claim
    assert claim.count("Why it fails") == 1


def test_a_refuted_part_tells_why_on_its_own_and_on_the_page_of_its_row(html):
    entry = next(c for c in document()["claims"] if c["id"] == "BB:B.2/limit")
    row = section(html, "BB:B.2")
    top, article = row.split('data-claim="BB:B.2/limit"')
    story = ("REFUTED", "Why it fails", '<a href="#BB:B.2/limit">', "True instead", "As printed")
    for text, words in ((top, story), (article, ("REFUTED", "Why it fails", "True instead", "stands"))):
        told = [text.index(word) for word in words]
        assert told == sorted(told)
    assert entry["why"].split("$")[0].strip() in top
    assert entry["why"].split("$")[0].strip() in article


def test_a_row_is_repaired_only_if_every_error_in_it_is(changed):
    tags = lambda id: section(changed, id).split('<p class="tags">')[1].split("</p>")[0]
    verdicts = {id: text_of(tags(id)) for id in ("BB:CC.3.b", "BB:B.2")}
    unexecuted, undecided = "R REFUTED what is true instead: not executed", "R REFUTED → O OPEN as repaired"
    assert verdicts == {"BB:CC.3.b": unexecuted, "BB:B.2": undecided}
    letters = {}
    for id in verdicts:
        node = changed.split(f'data-node="{id}"')[1].split("</a>")[0]
        letters[id] = re.findall(r'<text class="letter"[^>]*>([^<]*)<', node)
    assert letters == {"BB:CC.3.b": ["R"], "BB:B.2": ["R", "O"]}


def test_every_claim_names_its_line_and_every_judged_row_its_run(html):
    ledger = document()
    for c in ledger["claims"]:
        article = html.split(f'data-claim="{c["id"]}"')[1].split("</article>")[0]
        assert f"<code>{c['line']}</code>" in article
    run = ledger["run"]
    judged = f"judged on 2026-01-01 with largeprompt {run['versions']['largeprompt']} (code {run['code']})"
    assert judged in section(html, "BB:CC.3.b")
    assert judged in section(html, "overview")
    assert "judged on" not in section(html, "BB:LC.4")  # no claim of it ran


def test_ours_say_so_wherever_they_stand_beside_the_paper(html):
    links = re.findall(r'<a\b[^>]*href="#(BB|OURS)/[^"]*"[^>]*>(.*?)</a>', html, re.DOTALL)
    of_node = r'<a href="#(BB|OURS)[:/][^"]*" class="node.*?<rect class="box"[^>]*/><text[^>]*>(.*?)</text>'
    nodes = re.findall(of_node, html, re.DOTALL)
    of_title = r'data-title="([^"]*)" data-statement="(BB|OURS)/[^"]*">\s*<p class="kicker">[^<]*</p>'
    titles = re.findall(of_title, html)
    for found in (links, nodes, [(paper, title) for title, paper in titles]):
        assert {paper for paper, _ in found} == {"BB", "OURS"}
        assert [text_of(name) for paper, name in found if ("(ours)" in name) != (paper == "OURS")] == []
    assert ">Theorem A (ours)<" in html


def test_words_are_typeset_in_summaries(changed):
    summary = changed.split(f'data-claim="{IDS[0]}"')[1].split('class="summary">')[1].split("</p>")[0]
    assert "<mfrac>" in summary
    assert "$" not in summary
    assert "<code>square</code>" in summary
    assert "<b>" not in summary


def test_our_own_rows_show_their_proofs(html):
    page = html.split('id="OURS:R4.b"')[1].split("</section>")[0]
    assert "<h3>Proof</h3>" in page
    assert "Stein" in page


def test_needs_and_users_are_shown_both_ways(html):
    needed = html.split('data-claim="BB:C.7.moments"')[1].split("</article>")[0]
    users = needed.split('aria-label="used by"')[1]
    assert "BB:C.7.fin/powers" in users


def test_a_theorem_shows_what_its_steps_give_away(changed):
    made = section(changed, "BB:C.7.fin")
    claims, chain = made.split("What each step gives away")
    assert "data-claim" in claims
    assert re.findall(r"<details[^>]*>", chain) == ['<details class="chain">']  # folded, below the claims
    assert "BB:C.7.fin/powers" in chain
    assert "BB:C.7.moments" in chain
    assert "width:100.0%" in chain
    assert [int(d) for d in re.findall(r"--depth: (\d+)", chain)] == [0, 1]


def test_the_overview_opens_with_the_main_results_and_the_one_count(whole, accounts):
    overview = section(whole[0], "overview")
    opening = overview.split('id="errata"')[0]
    for key, told in accounts.items():
        table = opening.split(f"<h2>{key}: ")[1].split("</table>")[0]
        places = [(r.paper, place(r)[1]) for r in rows().values() if r.main and r.paper == key]
        expected = list(dict.fromkeys(title + " (ours)" * (paper == "OURS") for paper, title in places))
        assert re.findall(r">([^<]*)</a></th>", table) == expected
        assert told.sentence in text_of(opening)
        refuted = re.findall(rf'<section class="page row" id="{key}:[^>]*data-verdict="REFUTED"', whole[0])
        assert len(refuted) == len(told.false) + len(told.following)
        listed = overview.split('id="verdicts"')[1].split("<h2")[0]
        counts = re.findall(rf"<dt>{key}: .*?</dd>", listed, re.DOTALL)
        assert sum(int(n) for line in counts for n in re.findall(r"R×(\d+)", text_of(line))) == len(refuted)
    assert "the ledger of the release" in whole[1]


def test_the_errata_are_a_line_a_counted_row_robust_ones_first(whole, accounts):
    false = [o for told in accounts.values() for o in told.false]
    lines = section(whole[0], "overview").split('id="errata"')[1].split("<h2")[0].split("<li>")[1:]
    assert len(lines) == len(false) > 0
    severities = [text_of(re.findall(r'<span class="tag [^"]*">([^<]*)', line)[0]) for line in lines]
    papers = [o.row.paper for o in false]
    assert papers == sorted(papers)  # BB, LDL
    for key in papers:
        of_paper = [s for s, name in zip(severities, papers, strict=True) if name == key]
        assert of_paper == sorted(of_paper, key=lambda s: s != "false")
    assert len(set(severities)) > 2
    for line, o in zip(lines, false, strict=True):
        error = o.errors[0]
        assert f'href="#{o.id}"' in line
        assert error["why"].split("$")[0].strip().split("'")[0] in unescape(line)
        assert first_sentence(error["instead"]).split("$")[0].strip() in unescape(line)
        assert [c for c in accounts[o.row.paper].copies(o) if f'href="#{c.id}"' not in line] == []


def test_no_total_of_claims_stands_beside_the_count_of_rows(whole, release, accounts):
    claims = sum(c["verdict"] == "REFUTED" for c in release["claims"])
    counts = [len(told.false) + len(told.following) for told in accounts.values()]
    overview = text_of(section(whole[0], "overview"))
    assert claims not in counts
    assert all(told.losses in overview and told.sentence in overview for told in accounts.values())
    assert not re.findall(rf"\b{claims} (?:false|refuted|claims are)|[R×]{claims}\b", overview)


def test_the_landing_page_lists_and_warns(html):
    landing = section(html, "overview")
    assert f"{len(IDS)} claims" in landing
    assert "Only a part of the claims ran" in landing
    for id in ("BB:CC.3.b", "BB:LC.1.am"):  # errata
        assert f'href="#{id}"' in landing.split('id="errata"')[1].split("<h2")[0]
    # It needs BB:LC.9, which did not run.
    assert "BB:C.7.fin/powers" in landing.split('id="weakest"')[1].split("<h2")[0]
    assert "BB:S6.f1a" in landing.split('id="unsettled"')[1].split("<h2")[0]


def test_the_same_ledger_gives_the_same_file(html):
    site = Site(document())
    told = []
    advance = lambda done, total, doing="", seconds_left=None: told.append(doing)
    assert as_html(site, advance=advance).html == html
    assert told == [f"drawing {id}" for id in site.statements]


EVIL = '</script></pre><script>alert("x")</script><img src=x onerror=alert(1)> & "quoted" \' `<img>` $x<y$'


def test_nothing_in_a_ledger_becomes_markup(html):
    spoiled = document()
    for c in spoiled["claims"]:
        for name in ("summary", "says", "why", "details", "instead", "argument", "unproved", "line", "at"):
            c[name] = EVIL
        c["cites"], c["hypotheses"], c["faults"] = [EVIL], [EVIL], [EVIL]
        c["evidence"] |= dict.fromkeys(("covered", "reason", "dimension", "engine"), EVIL)
        c["evidence"]["assumes"] = [EVIL]
        if c["evidence"]["witness"]:
            c["evidence"]["witness"] = {EVIL: EVIL}
    spoiled["run"]["faults"] = [EVIL]
    spoiled["run"]["code"] = EVIL
    made = Page(as_html(Site(spoiled)).html)
    assert made.tags["script"] == Page(html).tags["script"]
    assert made.tags["img"] == 0


def test_a_formula_that_cannot_be_read_is_shown_as_it_is_and_told(capsys, tmp_path):
    spoiled = document()
    spoiled["claims"][0]["checked"] = r"\unknown{<b>}"
    spoiled["claims"][0]["evidence"]["parts"] = []
    (tmp_path / "ledger.json").write_text(json.dumps(spoiled), encoding="utf-8")
    assert main(["blueprint", "--ledger", str(tmp_path), "--out", str(tmp_path / "b.html")]) == 1
    assert r"\unknown is not known" in capsys.readouterr().err
    made = (tmp_path / "b.html").read_text(encoding="utf-8")
    assert '<code class="unread">\\unknown{&lt;b&gt;}</code>' in made


def test_the_command_writes_the_file(tmp_path, capsys):
    (tmp_path / "ledger.json").write_text(json.dumps(document()), encoding="utf-8")
    assert main(["blueprint", "--ledger", str(tmp_path / "ledger.json"), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "blueprint.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    told = capsys.readouterr()
    assert "written to" in told.out
    assert told.err == ""  # no terminal, no progress


def test_an_older_list_of_statements_is_still_drawn():
    old = document()
    old["claims"][0] |= {"id": "BB:gone/part", "covers": "BB:gone"}
    old["claims"][5]["printed"] = r"\text{what was judged}"
    html = as_html(Site(old)).html
    assert "what was judged" in html
    assert {"BB:gone", "BB:gone/part"} <= set(Page(html).ids)
