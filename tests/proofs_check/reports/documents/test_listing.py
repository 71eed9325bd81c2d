"""``largeprompt list``: a line a row, as wide as the screen, and filters as in the outcomes."""

import io
import json
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from numerics.terminal.colours import LETTERS
from numerics.terminal.inputs import InputError
from proofs_check.core.ledgers.coverage import NOT_SETTLED
from proofs_check.core.ledgers.ledger import write_json
from proofs_check.core.ledgers.outcomes import account, outcomes
from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.papers.statements import papers, rows
from proofs_check.reports.documents.listing import listing, print_lines
from tests.proofs_check.core.ledgers import document, line

DOCUMENT = json.loads(RELEASE.read_text(encoding="utf-8"))
FOUND = outcomes(DOCUMENT)


@pytest.fixture(autouse=True)
def release(tmp_path, monkeypatch):
    """Where no run kept a ledger, that of the release is read."""
    monkeypatch.chdir(tmp_path)


def printed(capsys, *given):
    """The letter of each row that is listed."""
    assert listing(*given) == 0
    lines = re.findall(r"^([A-Z-]) [ *] (\S+)", capsys.readouterr().out, flags=re.MULTILINE)
    return {id: letter for letter, id in lines}


def test_every_row_has_the_letter_of_its_verdict(capsys):
    assert printed(capsys) == {id: LETTERS[o.verdict] for id, o in FOUND.items()}


@pytest.mark.parametrize("paper", papers())
def test_a_paper(paper, capsys):
    assert list(printed(capsys, papers()[paper])) == [id for id, r in rows().items() if r.paper == paper]


SPACED = NOT_SETTLED.title().replace(" ", "  ")


@pytest.mark.parametrize(
    ("verdict", "name"), [("REFUTED", "REFUTED"), ("r", "REFUTED"), (SPACED, NOT_SETTLED), ("s", "SUPPORTED")]
)
def test_a_verdict(verdict, name, capsys):
    wanted = [id for id, o in FOUND.items() if o.verdict == name]
    assert list(printed(capsys, None, verdict)) == wanted
    # Every row has a claim, so that none is listed as not settled.
    assert bool(wanted) == (name != NOT_SETTLED)


def test_a_severity_is_counted_as_everywhere(capsys):
    listing("BB", None, "false")
    told = capsys.readouterr().out
    counted = sum(o.row.paper == "BB" and o.severity == "false" and not o.follows for o in FOUND.values())
    assert f"{counted} of {sum(r.paper == 'BB' for r in rows().values())} rows: false (" in told
    assert f"{counted} false, " in account(DOCUMENT, "BB").sentence


def test_a_severity(capsys):
    wanted = [id for id, o in FOUND.items() if o.severity == "text and code"]
    assert list(printed(capsys, "BB", None, "Text")) == wanted
    assert printed(capsys, "OURS", None, "gap") == {}


@pytest.mark.parametrize(
    ("verdict", "severity"), [("", None), ("x", None), (None, "t"), (None, ""), ("x" * 9999, None)]
)
def test_an_unknown_filter_is_refused(verdict, severity):
    with pytest.raises(InputError, match="write one of them") as refused:
        listing(None, verdict, severity)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("places", [True, False])
def test_no_line_is_wider_than_the_screen_and_cuts_are_marked(width, places):
    out = io.StringIO()
    print_lines(Console(file=out, width=width), FOUND.values(), places=places)
    lines = out.getvalue().splitlines()
    assert len(lines) == len(FOUND)
    assert max(map(cell_len, lines)) <= width
    whole = io.StringIO()
    print_lines(Console(file=whole, width=10_000), FOUND.values(), places=places)
    for short, long in zip(lines, whole.getvalue().splitlines()):
        assert short == long or (short.endswith("…") and long.startswith(short[:-1]))


def test_main_results_are_marked_and_what_is_wrong_is_said(tmp_path, capsys):
    ledger = document(line("BB:CC.3.b", why="it fails at $\\delta_{0}$"), line("BB:CC.3.a"))
    write_json(ledger, tmp_path / "ledger.json")
    assert listing("BB", ledger=str(tmp_path)) == 0
    text = capsys.readouterr().out
    assert re.search(r"^R   BB:CC\.3\.b +Corollary C\.3 +gap: it fails at δ₀$", text, flags=re.MULTILINE)
    main = {id for id, r in rows().items() if r.main and r.paper == "BB"}
    assert set(re.findall(r"^\S \* (\S+)", text, flags=re.MULTILINE)) == main
    assert account(ledger, "BB").sentence in " ".join(text.split())
