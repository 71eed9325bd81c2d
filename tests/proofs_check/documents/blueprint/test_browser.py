"""The blueprint in a browser: hash routes, search, no page wider than a phone, and no complaint on
the console.

Needs Chromium. With CI=true its absence is a failure; elsewhere the tests say that they did not
run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest

from proofs_check.core.statements import rows
from proofs_check.documents.blueprint import Site, as_html
from tests.proofs_check.documents.blueprint.blueprint_sample import document

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture(scope="module")
def browser() -> str:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("no Chromium: install it with apt-get install -y chromium")
    if found is None:
        pytest.skip("DID NOT RUN: no Chromium on this machine, so nobody opened the blueprint in a browser")
    return found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blueprint") / "blueprint.html"
    judged = document()
    next(c for c in judged["claims"] if c["id"] == "BB:L2.1.a/mgf")["summary"] = r"At most $\frac{1}{2}$."
    path.write_text(as_html(Site(judged)).html, encoding="utf-8")
    return path


def opened(browser: str, file: Path, fragment: str, tmp_path: Path) -> str:
    """The document after its script has run."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    command += ["--enable-logging=stderr", f"--user-data-dir={tmp_path}", "--virtual-time-budget=4000", "--dump-dom"]
    done = subprocess.run([*command, f"{file.as_uri()}#{fragment}"], capture_output=True, text=True, timeout=120, check=True)
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    return done.stdout


def current(dom: str) -> list[str]:
    """The pages that are shown."""
    found = [re.search(r'\bid="([^"]*)"', tag) for tag in re.findall(r'<section class="page[^"]*\bcurrent"[^>]*>', dom)]
    return [m[1] for m in found if m]


@pytest.mark.parametrize(
    ("fragment", "page"),
    [
        ("", "overview"),
        ("errata", "overview"),
        ("nowhere", "overview"),
        ("BB:CC.3.b", "BB:CC.3.b"),
        ("BB:LC.1.am/choice", "BB:LC.1.am"),
        ("BB/Lemma-C.4", "BB/Lemma-C.4"),
        ("graph/BB/Appendix-C.2", "graph"),
    ],
)
def test_a_hash_opens_its_page(fragment: str, page: str, browser: str, file: Path, tmp_path: Path) -> None:
    dom = opened(browser, file, quote(fragment, safe=":/"), tmp_path)
    assert current(dom) == [page]
    assert "<math" in dom


def test_the_search_finds_an_id_words_and_latex(browser: str, file: Path, tmp_path: Path) -> None:
    for asked, id in (("LC.4.lo", "BB:LC.4.lo"), (r"refuted \frac{139 C.3", "BB:CC.3.b"), (r"\xrightarrow a.s.", "BB:2.lln")):
        dom = opened(browser, file, "search=" + quote(asked), tmp_path)
        results = dom.split('id="results"')[1].split("</ul>")[0]
        assert current(dom) == ["search"]
        assert f'href="#{id}"' in results


def test_a_search_for_nothing_says_so(browser: str, file: Path, tmp_path: Path) -> None:
    dom = opened(browser, file, "search=" + quote("<b>zzz</b>"), tmp_path)
    assert "Nothing holds" in dom
    assert "<b>zzz" not in dom


def test_a_graph_is_drawn_and_its_selector_follows(browser: str, file: Path, tmp_path: Path) -> None:
    dom = opened(browser, file, "graph/BB", tmp_path)
    view = re.search(r'<div class="view current" id="([^"]*)"', dom)
    assert view is not None
    assert view[1] == "graph/BB"


def test_the_search_shows_typeset_words(browser: str, file: Path, tmp_path: Path) -> None:
    dom = opened(browser, file, "search=" + quote("BB:L2.1.a/mgf"), tmp_path)
    results = dom.split('id="results"')[1].split("</ul>")[0]
    assert "<mfrac>" in results
    assert "$" not in results


PHONE = 390
#: A page around the blueprint: a browser's own window is not as narrow as a phone.
AROUND = """<!doctype html><meta charset="utf-8"><iframe style="border: 0; width: %(width)dpx; height: 800px"></iframe>
<pre></pre><script>
const frame = document.querySelector("iframe");
frame.onload = () => {
  const page = frame.contentDocument, shown = [...page.querySelectorAll(".page")], widths = {};
  for (const folded of page.querySelectorAll("details")) folded.open = true;
  for (const one of shown) {
    for (const other of shown) other.classList.toggle("current", one === other);
    widths[one.id] = page.documentElement.scrollWidth;
  }
  document.querySelector("pre").textContent = JSON.stringify(widths);
};
frame.srcdoc = %(blueprint)s;
</script>"""


def widths(browser: str, blueprint: str, tmp_path: Path) -> dict[str, int]:
    """How wide each page is on a phone, everything unfolded."""
    around = tmp_path / "around.html"
    around.write_text(AROUND % {"width": PHONE, "blueprint": json.dumps(blueprint).replace("</", "<\\/")}, encoding="utf-8")
    found = opened(browser, around, "", tmp_path / "profile").rsplit("<pre>", 1)[1].split("</pre>")[0]
    measured: dict[str, int] = json.loads(unescape(found))
    return measured


def test_no_page_is_wider_than_a_phone(browser: str, tmp_path: Path) -> None:
    spoiled = document()
    wide = "It is $" + "a_{1}" * 60 + "$, $" + r"\frac{" + "b" * 80 + "}{2}" + "$ and " + "word" * 30 + "."
    claim = next(c for c in spoiled["claims"] if c["id"] == "BB:CC.3.b")
    for name in ("says", "summary", "why", "details", "instead", "argument", "unproved", "fragment"):
        claim[name] = wide
    claim["checked"] = "c" * 200
    claim["evidence"]["covered"] = wide
    blueprint = as_html(Site(spoiled)).html
    found = widths(browser, blueprint, tmp_path)
    assert len(found) > len(rows())
    assert {id: width for id, width in found.items() if width > PHONE} == {}
    styles = [line for line in blueprint.splitlines() if "overflow-x: auto" not in line]
    (tmp_path / "again").mkdir()
    without = widths(browser, "\n".join(styles), tmp_path / "again")
    assert without["BB:CC.3.b"] > PHONE  # so the measure sees what is too wide
