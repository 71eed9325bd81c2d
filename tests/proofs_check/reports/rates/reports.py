"""What is asked of the reports of both papers with laws."""

import json
import re

import numpy as np

from proofs_check.reports.rates.verdicts import verdicts
from tests.proofs_check.reports.pages.page import Page


def in_order(report, least):
    """Every law has one line, as declared, the printed ones first; refuted ratios move so far."""
    assert len({(line.row, line.law) for line in report.lines}) == len(report.lines)
    assert [line.row for line in report.lines if not line.holds] == []
    printed = [line.printed for line in report.lines]
    assert printed == sorted(printed, reverse=True)
    for first, *_, last in (line.ratios.values() for line in report.lines if line.refuted and line.ratios):
        assert abs(np.log(last / first)) > least


def fails(rates, row, verdict, quiet, folder, monkeypatch, capsys):
    """The page of a command in whose ledger a row has another verdict: its line fails."""
    known = {**verdicts(), row: verdict}
    monkeypatch.setattr("proofs_check.reports.rates.lines.line.verdicts", lambda: known)
    assert rates("--out", folder, *["--quiet"] * quiet) == 1
    told = capsys.readouterr()
    (failing,) = [x for x in (told.err if quiet else told.out).splitlines() if x.startswith("FAILS")]
    assert failing.endswith(f"[{row}: {verdict}]")
    assert not json.loads((folder / "report.json").read_text())["holds"]
    return (folder / "report.html").read_text()


def document(report, page, folder, typed):
    """The document, which agrees with the page; no formula is left as it is typed on a keyboard."""

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    found = json.loads((folder / "report.json").read_text(), parse_constant=refuse)
    assert found["holds"]
    assert [line["row"] for line in found["lines"]] == [line.row for line in report.lines]
    assert all(line.row in page for line in report.lines)
    for plot in found["plots"]:
        assert (folder / plot["file"]).read_text().startswith("<?xml")
    words = Page(re.sub(r"<(svg|style).*?</\1>", "", page, flags=re.DOTALL)).words
    assert [word for word in words if re.search(rf"\b({typed}|nan|inf)\b|[_^]", word)] == []
    return found
