"""The released ledger holds on every processor, as far as each engine states."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from proofs_check.core.ledgers.stored import release_text
from proofs_check.reports.documents.repeated import room
from proofs_check.reports.documents.status import renewed
from tests.proofs_check.core.ledgers import document, line, made_up
from tests.proofs_check.reports.documents.machines import judged, plain, searched

ROOT = Path(__file__).parents[4]
Document = dict[str, Any]


def ledger(entries, search):
    """One entry with a sharp constant, two that a search and runs support, and a refuted one."""
    runs = {**search, "engine": "Monte Carlo", "slack": 1.5, "slack_error": 0.02}
    known = {"witness_by": "statistics", "witness": {"L": 50, "risk": -0.04, "limit": 0.115}}
    refuted = {**runs, **known, "verdict": "REFUTED", "parts": [{**search, "control": search}]}
    return document(
        *entries,
        line("BB:CC.3.b"),
        made_up("BB:LC.1", "SUPPORTED", evidence=search, slack=search["slack"]),
        made_up("BB:S6.f3", "SUPPORTED", evidence=runs, slack=1.5),
        made_up("BB:S6.f1b", "REFUTED", evidence=refuted),
    )


@pytest.fixture(scope="module")
def here():
    return ledger(judged(), searched())


@pytest.fixture(scope="module")
def there():
    command = [sys.executable, "-m", "tests.proofs_check.reports.documents.machines"]
    done = subprocess.run(command, cwd=ROOT, env=plain(), capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return ledger(found["judged"], found["searched"])


def check(old, new, folder):
    """What ``largeprompt status --check`` finds, and what ``--write`` would write."""
    path = folder / "ledger.json"
    path.write_text(release_text(old), encoding="utf-8")
    return renewed(path, path.read_text(encoding="utf-8"), new, {})


def test_a_ledger_of_one_processor_holds_on_another(here, there, tmp_path):
    for old, new in ((here, there), (there, here)):
        assert check(old, new, tmp_path) == (release_text(old), "")
    if plain()["NPY_DISABLE_CPU_FEATURES"]:
        assert release_text(here) != release_text(there), "or the two settings are no two processors"


def _entry(document, id):
    return next(c for c in document["claims"] if c["id"] == id)


def changed(*path, to):
    """Put a value, or a function of the old one, at a place of a ledger."""

    def change(document):
        at = _entry(document, path[0])
        for name in path[1:-1]:
            at = at[int(name) if isinstance(at, list) else name]
        at[path[-1]] = to(at[path[-1]]) if callable(to) else to

    return change


def slack(id, factor):
    """Multiply every slack in the entry of a claim."""

    def multiplied(value):
        if isinstance(value, dict):
            return {k: v * factor if k == "slack" and v else multiplied(v) for k, v in value.items()}
        return [multiplied(v) for v in value] if isinstance(value, list) else value

    return lambda document: _entry(document, id).update(multiplied(_entry(document, id)))


REACHED = re.compile(r"(?<=reached )[\d.e+-]+")
COVERED = ("BB:LC.1", "evidence", "covered")
ROUTE = ("BB:CC.3.b", "repair", "evidence", "routes", "0")
NOT_LEAST = ("LDL:eq9-u", "repair", "evidence", "parts", "0", "slack")
PART = ("BB:S6.f1b", "evidence", "parts", "0")
REFUSED = {
    "another verdict": changed("BB:LC.1", "verdict", to="OPEN"),
    "a repair that fails": changed("BB:CC.3.b", "repair", "verdict", to="OPEN"),
    "a control that holds": changed("LDL:eq9-u", "control", "verdict", to="SUPPORTED"),
    "another severity": changed("BB:LF.1.iii", "severity", to="typo"),
    "a search beyond the peak that is known": slack("BB:LC.1", 0.99),
    "a search that reaches less": slack("BB:LC.1", 1.02),
    "a computed number": slack("LDL:eq9-u", 1 + 1e-5),
    "runs farther off than their error": slack("BB:S6.f3", 1.1),
    "a sharp constant by a millionth": changed("BB:CC.3.b", "sharp", "accepted", to="138600001/1000000"),
    "another hypothesis": changed("BB:CC.3.b", "hypotheses", to=lambda old: [*old, "L >= 3"]),
    "another text": changed("BB:LF.1.iii", "why", to=lambda old: f"{old} Or not."),
    "another statement": changed("LDL:eq9-u", "evidence", "checked", to="x < 1"),
    "another assumption of an engine": changed("BB:CC.3.b", "evidence", "assumes", to=["x > 0"]),
    "another engine": changed("BB:LF.1.iii", "repair", "evidence", "engine", to="identity"),
    "another witness": changed("BB:CC.3.b", "evidence", "witness", to=lambda old: {**old, "L": 7}),
    "less covered": changed(*COVERED, to="1 case"),
    "another number of cases": changed(*COVERED, to=lambda old: old.replace("00", "01")),
    "another engine of a control": changed("BB:CC.3.b", "control", "evidence", "engine", to="identity"),
    "another control": changed("BB:LF.1.iii", "control", "evidence", "checked", to="x < 1"),
    "another control of a part": changed(*PART, "control", "checked", to="x < 1"),
    "a witness of runs of another sign": changed("BB:S6.f1b", "evidence", "witness", "risk", to=0.04),
    "a witness of runs in another order": changed("BB:S6.f1b", "evidence", "witness", "limit", to=-0.05),
    "a place next to an edge that is not decided": changed("BB:CC.3.b", "sharp", "undecided", to="1387/10"),
    "a slack of a proof below 1, as that of its route": slack("BB:LF.1.iii", 0.9995),
    "a computed slack, which its route has too": slack("COL:G.3/small.upper", 1.005),
    "a slack of a part that is not the least": changed(*NOT_LEAST, to=lambda old: 1.5 * old),
    "another statement of a route": changed(*ROUTE, "checked", to="x < 1"),
    "another assumption of a route": changed(*ROUTE, "assumes", to=["x > 0"]),
    "another citation of a route": changed(*ROUTE, "cites", to=["Jensen"]),
    "other samples": changed("BB:LC.1", "evidence", "samples", to=lambda old: old + 1),
}
ACCEPTED = {
    "a search that ends nearer to the top": slack("BB:LC.1", 1 - 1e-4),
    "a search that ends less near": slack("BB:LC.1", 1.005),
    "runs within their error": slack("BB:S6.f3", 0.95),
    "the numbers that a search covered": changed(*COVERED, to=lambda old: REACHED.sub("1", old)),
    "a witness of runs": changed("BB:S6.f1b", "evidence", "witness", "limit", to=0.114),
    "last digits": slack("LDL:eq9-u", 1 + 1e-8),
    "where a bound is tightest": changed("COL:G.3/small.upper", "evidence", "tightest", to={"alpha": "2"}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_to_be_equal_is(name, here, there, tmp_path):
    planted = copy.deepcopy(there)
    REFUSED[name](planted)
    assert planted != there
    assert check(here, planted, tmp_path)[1]


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_a_processor_moves_is_not(name, here, there, tmp_path):
    moved = copy.deepcopy(there)
    ACCEPTED[name](moved)
    assert moved != there
    assert check(here, moved, tmp_path) == (release_text(here), "")


def test_a_slack_may_move_as_far_as_the_engine_states_that_found_it():
    """A derivation has the slack of its search; what is computed does not move."""
    search = searched()
    states = room(search, search["slack"])
    assert min(states) > 0
    for taken in ({"engine": "derivation", "routes": [search]}, {"engine": "conjunction", "parts": [search]}):
        assert room(search | taken, search["slack"]) == states
    computed = search | {"engine": "Sturm", "routes": [search]}
    assert room(computed, search["slack"]) == (0, 0)
    both = search | {"engine": "conjunction", "parts": [search, computed]}
    assert room(both, search["slack"]) == (0, 0)


def test_only_what_says_something_else_is_written(here, there, tmp_path):
    """Or the numbers of a search could creep, a share at a time."""
    planted = copy.deepcopy(there)
    changed("BB:CC.3.b", "why", to="Else.")(planted)
    written = json.loads(check(here, planted, tmp_path)[0])
    assert _entry(written, "BB:CC.3.b")["why"] == "Else."
    changed("BB:CC.3.b", "why", to=_entry(here, "BB:CC.3.b")["why"])(written)
    assert written["claims"] == json.loads(release_text(here))["claims"]
