"""``largeprompt list``: a line a row, as wide as the screen, and filters as in the outcomes."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from numerics.terminal.colours import LETTERS
from numerics.terminal.inputs import InputError
from proofs_check.core.ledgers.coverage import NOT_SETTLED
from proofs_check.core.ledgers.outcomes import account, outcomes
from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.papers.statements import papers, rows
from proofs_check.reports.documents.listing import listing, print_lines
from tests.proofs_check.core.ledgers import document, line

DOCUMENT = json.loads(RELEASE.read_text(encoding="utf-8"))
FOUND = outcomes(DOCUMENT)


@pytest.fixture(autouse=True)
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no run kept a ledger, that of the release is read."""
    monkeypatch.chdir(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *given: str | None) -> dict[str, str]:
    """The letter of each row that is listed."""
    assert listing(*given) == 0
    return {
        id: letter
        for letter, id in re.findall(r"^([A-Z-]) [ *] (\S+)", capsys.readouterr().out, flags=re.MULTILINE)
    }


def test_every_row_has_the_letter_of_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys) == {id: LETTERS[o.verdict] for id, o in FOUND.items()}


@pytest.mark.parametrize("paper", papers())
def test_a_paper(paper: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(printed(capsys, papers()[paper])) == [id for id, r in rows().items() if r.paper == paper]


@pytest.mark.parametrize(
    ("verdict", "name"),
    [
        ("REFUTED", "REFUTED"),
        ("r", "REFUTED"),
        (NOT_SETTLED.title().replace(" ", "  "), NOT_SETTLED),
        ("s", "SUPPORTED"),
    ],
)
def test_a_verdict(verdict: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [id for id, o in FOUND.items() if o.verdict == name]
    assert list(printed(capsys, None, verdict)) == wanted
    # Every row has a claim, so that none is listed as not settled.
    assert bool(wanted) == (name != NOT_SETTLED)


def test_a_severity_is_counted_as_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows that inherit the error of another one are listed and counted apart."""
    listing("BB", None, "false")
    told = capsys.readouterr().out
    counted = sum(o.row.paper == "BB" and o.severity == "false" and not o.follows for o in FOUND.values())
    assert f"{counted} of {sum(r.paper == 'BB' for r in rows().values())} rows: false (" in told
    assert f"{counted} false, " in account(DOCUMENT, "BB").sentence


def test_a_severity(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(printed(capsys, "BB", None, "Text")) == [
        id for id, o in FOUND.items() if o.severity == "text and code"
    ]
    assert printed(capsys, "OURS", None, "gap") == {}


@pytest.mark.parametrize(
    ("verdict", "severity"), [("", None), ("x", None), (None, "t"), (None, ""), ("x" * 9999, None)]
)
def test_an_unknown_filter_is_refused(verdict: str | None, severity: str | None) -> None:
    with pytest.raises(InputError, match="write one of them") as refused:
        listing(None, verdict, severity)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("places", [True, False])
def test_no_line_is_wider_than_the_screen_and_cuts_are_marked(width: int, places: bool) -> None:
    out = io.StringIO()
    print_lines(Console(file=out, width=width), FOUND.values(), places=places)
    lines = out.getvalue().splitlines()
    assert len(lines) == len(FOUND)
    assert max(map(cell_len, lines)) <= width
    whole = io.StringIO()
    print_lines(Console(file=whole, width=10_000), FOUND.values(), places=places)
    for short, long in zip(lines, whole.getvalue().splitlines()):
        assert short == long or (short.endswith("…") and long.startswith(short[:-1]))


def test_main_results_are_marked_and_what_is_wrong_is_said(tmp_path: Path, capsys) -> None:
    why = "it fails at $\\delta_{0}$"
    (tmp_path / "ledger.json").write_text(
        json.dumps(document(line("BB:CC.3.b", why=why), line("BB:CC.3.a"))), encoding="utf-8"
    )
    assert listing("BB", ledger=str(tmp_path)) == 0
    text = capsys.readouterr().out
    assert re.search(r"^R   BB:CC\.3\.b +Corollary C\.3 +gap: it fails at δ₀$", text, flags=re.MULTILINE)
    assert set(re.findall(r"^\S \* (\S+)", text, flags=re.MULTILINE)) == {
        id for id, r in rows().items() if r.main and r.paper == "BB"
    }
    said = account(json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8")), "BB").sentence
    assert said in " ".join(text.split())
