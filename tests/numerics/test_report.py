"""The written report: valid, self-contained, complete, and never half replaced."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

import numerics.report
from numerics.rates import Rates, rates
from numerics.report import FILES, provenance, schema, write_report
from numerics.report.document import COLUMNS, as_csv, as_document
from numerics.report.html import as_html, sci
from numerics.report.plots import error_plot
from numerics.setting import EXAMPLES, AttentionSetting


@pytest.fixture(scope="module")
def run() -> Rates:
    return rates(EXAMPLES["anisotropic"](), [1, 2, 10, 30, 100, 300, 1000], replicates=1000, seed=2)


@pytest.fixture(scope="module")
def page(run: Rates) -> str:
    return as_html(run, as_document(run, provenance("largeprompt rates --seed 2", 1.0)))


class Page(HTMLParser):
    """Everything that a browser would look at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.references: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "srcset", "data", "action"):
                self.references.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_document_keeps_its_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    small = rates(EXAMPLES[name](), [1, 3, 10, 30, 100, 300], replicates=200)
    document = as_document(small, provenance("x", 0.1, [("Gamma.npy", "0" * 64)]))
    jsonschema.validate(document, schema())
    json.dumps(document, allow_nan=False)
    for series in document["series"]:
        assert len(series["measured"]) == len(document["lengths"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"surprise": 1}, schema())


def test_the_page_is_self_contained(page: str) -> None:
    seen = Page(page)
    assert not seen.open  # every element is closed
    assert not {"script", "link", "iframe", "img", "object"} & set(seen.tags)
    internal = [r for r in seen.references if r.startswith("#")]
    assert {r for r in seen.references if not r.startswith("#")} == {"report.json", "data.csv"}
    assert {r[1:] for r in internal} <= set(seen.ids)
    assert len(set(seen.ids)) == len(seen.ids)
    style = re.findall(r"url\((.*?)\)", page)
    assert all(target.startswith("#") and target[1:] in seen.ids for target in style)
    assert "@import" not in page


def test_the_page_says_what_the_run_says(run: Rates, page: str) -> None:
    text = " ".join(" ".join(Page(page).words).split())
    assert f"All {len(run.comparisons)} comparisons hold" in text
    assert "What fails" not in text
    for c in run.comparisons:
        assert c.name.replace(" <= ", " ≤ ") in text
    for series in run.series:
        assert series.fit is not None
        assert f"{series.fit.exponent:.4f}" in text
        assert sci(float(series.mean[-1]), 5) in text
    assert "largeprompt rates --seed 2" in text
    assert "numpy" in text
    assert page.count("<svg role=") == 2 * len(run.series) + 1


def test_the_plots_show_the_numbers_of_the_run(run: Rates) -> None:
    """Every measured point is drawn where the axes say: heights in the picture are linear in the logarithm of the values."""
    series = run.series[2]
    root = ElementTree.fromstring(error_plot(run, series))
    space = "{http://www.w3.org/2000/svg}"
    groups = [g for g in root.iter(f"{space}g") if g.get("id", "").endswith("-axes_1")]
    uses = [use for g in groups for use in g.iter(f"{space}use") if "var(--measured)" in (use.get("style") or "")]
    dots = [(float(use.get("x", "nan")), float(use.get("y", "nan"))) for use in uses][-run.lengths.size :]
    x, y = np.array(dots).T
    assert np.corrcoef(x, np.log(run.lengths))[0, 1] == pytest.approx(1, abs=1e-9)
    assert np.corrcoef(y, np.log(series.mean))[0, 1] == pytest.approx(-1, abs=1e-9)


def test_failures_come_first(run: Rates) -> None:
    spoiled = replace(run.comparisons[0], name="output: made up", holds=False, says="9 standard errors off", value=9.0, limit=5.0)
    failed = replace(run, comparisons=(spoiled, *run.comparisons[1:]))
    document = as_document(failed, provenance("x", 1.0))
    text = " ".join(Page(as_html(failed, document)).words)
    assert not document["holds"]
    assert f"1 of {len(run.comparisons)} comparisons fail" in text
    assert text.index("What fails") < text.index("output: made up") < text.index("Errors over the prompt length")


def test_names_are_escaped() -> None:
    setting = AttentionSetting(np.eye(1), np.eye(1), np.eye(1), np.ones(1), name="<script>alert(1)</script>")
    small = rates(setting, [1, 10], replicates=100)
    page = as_html(small, as_document(small, provenance("rates '<b>'", 1.0)))
    assert "script" not in Page(page).tags
    assert "<b>'" not in page


def test_the_table_has_every_number(run: Rates) -> None:
    rows = list(csv.DictReader(StringIO(as_csv(run))))
    assert tuple(rows[0]) == COLUMNS
    assert [int(row["L"]) for row in rows if row["quantity"] == "output"] == run.lengths.tolist()
    for series in run.series:
        mine = [row for row in rows if row["quantity"] == series.quantity]
        assert [float(row["measured"]) for row in mine] == series.mean.tolist()  # bit for bit
    assert rows[0]["lemma_c4"] == ""  # silent at L = 1
    assert float(rows[1]["lemma_c4"]) > float(rows[1]["theorem_a"]) > float(rows[1]["exact"]) > 0


def test_a_failed_write_leaves_the_old_report(run: Rates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        (tmp_path / name).write_text("old")

    def fail(*_: Any) -> str:
        raise RuntimeError("no ink")

    monkeypatch.setattr(numerics.report, "as_csv", fail)
    with pytest.raises(RuntimeError, match="no ink"):
        write_report(run, tmp_path, provenance("x", 1.0))
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(FILES)
    assert all((tmp_path / name).read_text() == "old" for name in FILES)


def test_provenance_is_neutral_and_can_be_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    import getpass
    import platform

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    found = provenance("largeprompt rates", 1.23)
    assert found["date"] == "1970-01-02 00:00 UTC"
    assert set(found["versions"]) >= {"python", "numpy", "scipy", "sympy", "numba", "largeprompt"}
    text = json.dumps(found)
    assert platform.node() not in text
    assert f"/{getpass.getuser()}" not in text


def test_numbers_for_people() -> None:
    assert [sci(v) for v in (1.0, 12345678.0, -3e-9, 1e12, float("nan"))] == ["1", "1.235·10⁷", "-3·10⁻⁹", "10¹²", "–"]
