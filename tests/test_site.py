"""The documentation site: its links, its gallery, its navigation."""

import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from proofs_check.papers.statements import papers

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OWN = "examples/own_law.py"


def module(name):
    spec = importlib.util.spec_from_file_location(f"website_{name}", ROOT / f"website/{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def hook():
    pytest.importorskip("mkdocs", reason="the site needs the extra docs: pip install '.[docs]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "website")  # as MkDocs does
        return module("hook")


@pytest.mark.parametrize(
    ("name", "uri", "link", "there"),
    [
        ("docs/training.md", "training.md", "../examples/plot_sweep.py", "gallery/plot_sweep.md"),
        ("docs/guide/engines.md", "guide/engines.md", "../derivations.md", "../derivations.md"),
        ("docs/papers/bb.md", "papers/bb.md", f"../../{OWN}#L3", f"../source/{OWN}.md#L3"),
        ("README.md", "index.md", "docs/ask.md#the-command", "ask.md#the-command"),
        ("docs/ask.md", "ask.md", "../examples/another_paper", "source/examples/another_paper/README.md"),
        ("docs/ask.md", "ask.md", "https://example.org/a.md", "https://example.org/a.md"),
        ("docs/ask.md", "ask.md", "missing.md", "missing.md"),
    ],
)
def test_a_link_of_the_repository_leads_to_its_page(hook, name, uri, link, there):
    assert hook.relinked(f"[a]({link})", uri, ROOT / name) == f"[a]({there})"


@pytest.mark.parametrize(
    "text", ["`[a](../README.md)`", "```md\n[a](../README.md)\n```", "$T[\\mu](../README.md)$"]
)
def test_what_is_code_or_a_formula_is_no_link(hook, text):
    assert hook.relinked(text, "ask.md", DOCS / "ask.md") == text


def test_formulas_become_mathml_with_their_full_stop_and_options_keep_their_hyphens(hook):
    shown = lambda html: hook.on_page_content(html, None, None, None)
    formula = "<math><msub><mi>a</mi><mn>1</mn></msub><mo>&lt;</mo><mn>2</mn></math>"
    written = r'<p>So <span class="arithmatex">\(a_1&lt;2\)</span>.</p>'
    assert shown(written) == f'<p>So <span class="held">{formula}.</span></p>'
    held = '<code>list a-b <span class="held">--verdict</span> open</code>'
    assert shown("<code>list a-b --verdict open</code>") == held


def test_a_notebook_is_shown_as_text_and_code(hook, tmp_path, monkeypatch):
    monkeypatch.setattr(hook, "ROOT", tmp_path)
    cells = [("markdown", ["# A title\n", "\n", "Words."]), ("code", ["x = 1\n", "x"])]
    content = {"cells": [{"cell_type": kind, "source": source} for kind, source in cells]}
    (notebook := tmp_path / "a.ipynb").write_text(json.dumps(content), encoding="utf-8")
    shown = "# A title\n\nWords.\n\n```python\nx = 1\nx\n```\n\nThe notebook is `a.ipynb`.\n"
    assert hook.source_page(notebook) == shown


def test_a_reader_sees_nothing_that_is_meant_for_doctest(hook):
    page = SimpleNamespace(file=SimpleNamespace(src_uri="none.md"))
    shown = hook.on_page_markdown(">>> f()  # doctest: +ELLIPSIS\na\n<BLANKLINE>\nb\n", page, None, None)
    assert shown == ">>> f()\na\n\nb\n"


def test_a_report_comes_with_the_data_that_it_links_to(hook, tmp_path, monkeypatch):
    from mkdocs.structure.files import Files

    monkeypatch.setattr(hook, "MADE", tmp_path)
    (tmp_path / "rates").mkdir()
    report = {f"rates/{name}" for name in ("report.html", "data.csv", "report.json")}
    for name in report:
        (tmp_path / name).touch()
    plugins = SimpleNamespace(_current_plugin="hook")
    config = SimpleNamespace(site_dir=str(tmp_path), use_directory_urls=False, plugins=plugins)
    made = {f.src_uri for f in hook.on_files(Files([]), config)}
    assert {f"documents/{name}" for name in report} <= made


def test_the_picture_of_every_example_is_that_of_its_script(tmp_path, monkeypatch):
    pictures = module("pictures")
    assert [p.name for p in pictures.stale()] == [], "run: python website/pictures.py"
    for folder in ("docs/gallery", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    changed = tmp_path / "examples/plot_sweep.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "# another version\n", encoding="utf-8")
    (tmp_path / "docs/gallery/tightness.svg").unlink()
    for name, path in {"ROOT": "", "GALLERY": "docs/gallery", "DIGESTS": "docs/gallery/digests.json"}.items():
        monkeypatch.setattr(pictures, name, tmp_path / path)
    assert [p.name for p in pictures.stale()] == ["plot_sweep.py", "plot_tightness.py"]


def test_every_paper_has_a_page():
    pages = "".join(p.read_text(encoding="utf-8") for p in (DOCS / "papers").glob("*.md"))
    told = re.findall(r"<!-- paper: (\w+) -->", pages)
    assert sorted(told) == sorted(papers())


def test_the_home_takes_its_sentences_from_the_readme(hook):
    home = (DOCS / "index.md").read_text(encoding="utf-8")
    shown = hook._README.sub(hook.of_readme, home)
    assert "<!-- README" not in shown
    assert "Theorems 1 and 2 are false" in shown
    with pytest.raises(Exception, match="no paragraph"):
        hook._README.sub(hook.of_readme, "<!-- README: Nobody & Co -->")


def test_a_cell_names_its_column(hook):
    head = "<thead><tr><th>paper</th><th>stands</th></tr></thead>"
    table = f"<table>{head}<tbody><tr><td>BB</td><td>all</td></tr></tbody></table>"
    shown = hook.on_page_content(table, None, None, None)
    assert '<td data-label="paper">BB</td><td data-label="stands">all</td>' in shown
