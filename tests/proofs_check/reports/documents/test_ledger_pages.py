"""The pages that the site makes of the ledger: statements, errata, what is false."""

import importlib.util
import re
from pathlib import Path
from unittest.mock import patch

import pytest

from proofs_check.papers import witnesses

ROOT = Path(__file__).parents[4]
DOCS = ROOT / "docs"


def module(name):
    spec = importlib.util.spec_from_file_location(f"website_{name}", ROOT / f"website/{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def told(release, outputs):
    """What the site says from the ledger; the witness scripts ran once for all tests."""
    made = module("ledger_pages").LedgerPages()
    with patch.object(witnesses, "run", lambda texts, **_: {id: outputs[witnesses.slug(id)] for id in texts}):
        assert made.errata
    return made


def test_every_statement_and_every_error_has_a_page_and_their_links_lead_somewhere(told):
    pages = {uri.removesuffix(".md") + ".html": html for uri, _, html in told.pages()}
    rows = {e.id for errata in told.errata.values() for e in errata.entries}
    assert len([uri for uri in pages if uri.startswith("errata/")]) == len(rows)
    assert len([uri for uri in pages if uri.startswith("statements/")]) == len(told.site.statements)
    known = {*pages, "errata.html", *(f"papers/{page.stem}.html" for page in (DOCS / "papers").glob("*.md"))}
    for html in pages.values():
        for link in re.findall(r'href="\.\./([^"#]*)', html):
            assert link in known
    for id in rows:  # there and back
        statement, _, _ = told.statement(id).removeprefix("../").partition("#")
        entry = told.entry(id, "").removeprefix("../")
        assert f"../{entry}" in pages[statement]
        assert f"../{statement}#" in pages[entry]
    assert max(len(html.encode()) for html in pages.values()) < 1e6


def test_the_page_of_a_paper_links_to_the_paper_and_to_what_is_false_in_it(told):
    page = told.account("BB")
    assert "(https://arxiv.org/abs/2512.11784v2)" in page
    first = told.errata["BB"].entries[0].errors[0]
    assert all(f"`{k} = {v}`" in page for k, v in first.witness.items() if len(v) < 60)


def test_the_list_of_what_is_false_names_paper_and_kind_of_each_error(told):
    found = re.findall(r'data-paper="(\w+)" data-severity="([\w ]+)"', told.false())
    listed = [(key, e.errors[0].severity) for key, errata in told.errata.items() for e in errata.entries]
    assert found == listed
    offered = set(re.findall(r'name="severity" value="([\w ]+)"', told.false()))
    assert offered == {severity for _, severity in listed}


def test_what_is_wider_than_a_phone_is_named_unless_it_scrolls(browser, tmp_path):
    wide = '<p style="width: 500px">wide</p>'
    texts = {"fits": "<p>narrow</p>", "wide": wide, "scrolls": f'<div style="overflow-x: auto">{wide}</div>'}
    texts["clipped"] = f'<details style="overflow-x: clip"><summary>more</summary>{wide}</details>'
    files = [tmp_path / f"{name}.html" for name in texts]
    for file, text in zip(files, texts.values(), strict=True):
        file.write_text(f"<!doctype html><body><article>{text}</article></body>", encoding="utf-8")
    widths = module("widths")
    found = {Path(page).stem: what for page, what in widths.too_wide(browser, files, 390, tmp_path)}
    assert found.keys() == {"wide", "clipped"}
    assert widths.too_wide(browser, files, 1400, tmp_path) == []
