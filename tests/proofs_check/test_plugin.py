"""The pytest plugin, run as a user runs it: in a process of its own, or beside us."""

import json
import shlex
import sys
from importlib import util
from importlib.machinery import SourceFileLoader
from unittest.mock import patch

import pytest

from proofs_check.core.claim import REGISTRY
from proofs_check.core.controller import THOROUGH
from proofs_check.core.judging import load_claims
from proofs_check.core.processes import Unrewritten, spread

pytest_plugins = "pytester"

HEAD = """
from fractions import Fraction
from numerics.evidence import Evidence, Verdict
from proofs_check.core.claim import claim
def proved(): return Evidence(verdict=Verdict.PROVED, engine="exact arithmetic")
def refuted(**w):
    return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness=w, witness_by="exact")
def opened(): return Evidence(verdict=Verdict.OPEN, engine="identity", reason="tried")
"""
GOOD = """
@claim("BB:CC.3.b/good", sharp="c")
def good(*, c=3):
    return proved() if c >= 2 else refuted(c=c)
@claim("BB:CC.3.b/wrong", false="gap", costs="constants", why="1 < 2", instead="c = 3",
    hypotheses=("c >= 0",), repair=dict(c=3), sharp="c", needs=("BB:CC.3.b/good",))
def wrong(*, c=1):
    return proved() if c >= 2 else refuted(c=c)
"""
DECLARED_OPEN = """
@claim("BB:CC.3.b/undecided", open="nobody knows")
def undecided():
    return opened()
"""
VACUOUS = """
@claim("BB:CC.3.b/vacuous")
def vacuous():
    return proved()
"""
UNDECLARED = """
@claim("BB:CC.3.b/sudden")
def sudden(*, c=1):
    return refuted(L=7, delta=Fraction(1, 3))
"""
CIRCLE = """
@claim("BB:CC.3.b/one", sharp="c", needs=("BB:CC.3.b/two",))
def one(*, c=3):
    return proved() if c >= 2 else refuted(c=c)
@claim("BB:CC.3.b/two", sharp="c", needs=("BB:CC.3.b/one",))
def two(*, c=3):
    return proved() if c >= 2 else refuted(c=c)
"""


@pytest.fixture(scope="module", autouse=True)
def claims_of_the_papers():
    """Load them before pytester notes which modules there are: it drops those that come after."""
    load_claims()


#: Hypothesis has no part in this; its own plugin takes longer to load than all of ours.
OPTIONS = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "test_it.py")


def run(pytester, *parts, options=""):
    pytester.makepyfile(test_it=HEAD + "\n".join(parts))
    return pytester.runpytest_subprocess(*OPTIONS, *shlex.split(options))


def run_beside(pytester, *parts, options=""):
    """The same in this process; its registry is as before afterwards."""
    pytester.makepyfile(test_it=HEAD + "\n".join(parts))
    with patch.dict(REGISTRY):
        return pytester.runpytest_inprocess(*OPTIONS, *shlex.split(options))


def test_a_line_a_claim_then_the_table(pytester):
    options = "-v --ledger out --junitxml out/junit.xml"
    result = run(pytester, GOOD, DECLARED_OPEN, options=options)
    result.assert_outcomes(passed=2, xfailed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "*BB:CC.3.b/good PROVED (c sharp 2*",
            "*BB:CC.3.b/wrong REFUTED -> PROVED as repaired (c sharp 2*",
            "3 of * claims ran: 1 PROVED, 1 OPEN, 1 REFUTED.*",
            "*R BB:CC.3.b/wrong: gap, PROVED as repaired*",
            "*1 < 2*",
        ]
    )
    document = json.loads((pytester.path / "out/ledger.partial.json").read_text())
    verdicts = {c["id"].partition("/")[2]: c["verdict"] for c in document["claims"]}
    assert verdicts == {"good": "PROVED", "wrong": "REFUTED", "undecided": "OPEN"}
    assert document["run"]["partial"] is True
    assert "BB:CC.3.b/wrong" in (pytester.path / "out/junit.xml").read_text()


def test_a_folder_that_cannot_be_written_is_told_before_the_run(pytester):
    (pytester.path / "file").touch()
    result = run_beside(pytester, GOOD, options="--ledger file")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--ledger: cannot write to file: File exists*"])
    assert "BB:CC.3.b" not in result.stdout.str()


def test_a_run_that_is_stopped_leaves_an_older_ledger_alone(pytester):
    old = pytester.path / "out" / "ledger.partial.json"
    old.parent.mkdir()
    old.write_text("old")
    result = run_beside(pytester, UNDECLARED, GOOD, options="--ledger out -x")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*The run was stopped: no ledger was written*"])
    assert old.read_text() == "old"
    run_beside(pytester, UNDECLARED, GOOD, options="--ledger out")  # a failure alone keeps nothing silent
    assert len(json.loads(old.read_text())["claims"]) == 3


def ledgers(pytester):
    return {path.relative_to(pytester.path).as_posix() for path in pytester.path.rglob("ledger*.json")}


def whole(monkeypatch):
    """Let the claims of the test be all that are registered."""
    monkeypatch.setattr("proofs_check.core.judging.load_claims", lambda scope=None: {})


def test_a_whole_run_keeps_its_ledger_where_commands_look(monkeypatch, pytester):
    whole(monkeypatch)
    result = run_beside(pytester, GOOD)
    result.stdout.fnmatch_lines(["2 claims are judged. The ledger is kept in build/ledger.json.", "Next: *"])
    assert ledgers(pytester) == {"build/ledger.json"}
    run_beside(pytester, GOOD, options="--ledger named")
    assert ledgers(pytester) == {"build/ledger.json", "named/ledger.json"}


@pytest.mark.parametrize(
    ("parts", "options", "why"),
    [
        ((GOOD,), "-k good", "some claims did not run"),
        ((GOOD,), "-m 'OURS or BB' -k wrong", "some claims did not run"),
        ((GOOD,), "--reseed 2", "the random numbers are those of --reseed 2"),
        ((GOOD,), "--thorough", f"each property test drew {THOROUGH} examples"),
        ((GOOD, UNDECLARED), "", "a claim is not in order"),
        ((GOOD, CIRCLE), "", "a claim is not in order"),
    ],
)
def test_any_other_run_is_kept_apart(monkeypatch, pytester, parts, options, why):
    whole(monkeypatch)
    if why == "some claims did not run":  # only the controller knows of claims that no worker saw
        monkeypatch.setattr("proofs_check.core.judging.load_claims", load_claims)
    result = run_beside(pytester, *parts, options=options)
    assert ledgers(pytester) == {"build/ledger.partial.json"}
    assert why in " ".join(result.stdout.str().split())


def test_a_folder_that_cannot_be_written_is_one_warning(monkeypatch, pytester):
    whole(monkeypatch)
    (pytester.path / "build").write_text("a file")
    result = run_beside(pytester, GOOD)
    assert result.ret == 0
    assert result.stdout.str().count("No ledger was kept") == 1
    assert (pytester.path / "build").read_text() == "a file"


def test_no_terminal_is_needed(pytester):
    assert run_beside(pytester, GOOD, options="-p no:terminal").ret == 0
    assert ledgers(pytester) == {"build/ledger.partial.json"}


def test_a_part_of_a_run_tells_what_could_not_be_judged_and_nothing_else(pytester):
    text = run_beside(pytester, GOOD, options="-k wrong").stdout.str()
    waits = "BB:CC.3.b/wrong stands? not judged: needs BB:CC.3.b/good, which did not run"
    assert waits in " ".join(text.split())
    for alarm in ("does not stand", "DOES NOT", "unused", "no claim settles", "Proposition", "rows"):
        assert alarm not in text


def test_colours_follow_the_verdict_and_no_color_is_kept(monkeypatch, pytester):
    red = "\x1b[31m"
    text = run_beside(pytester, GOOD, options="--color=yes -v").stdout.str()
    assert f"{red}  R " in text
    assert f"{red}REFUTED -> PROVED" in text
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run_beside(pytester, GOOD).stdout.str()


INTERRUPTED = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    raise ImportError("a compiled module failed to import")
"""


@pytest.mark.parametrize("hides_it", [True, False], ids=["as an ImportError", "as it is"])
def test_an_interrupt_while_claims_are_imported_ends_the_run(pytester, hides_it):
    """So does NumPy's macro import_array(), with which compiled modules begin."""
    pytester.makeconftest("import pathlib, proofs_check.plugin as p; p.HERE = pathlib.Path(__file__).parent")
    text = INTERRUPTED if hides_it else INTERRUPTED.replace("raise ImportError", "raise KeyboardInterrupt")
    pytester.makepyfile(test_claims_a=text, test_claims_b="raise ValueError('the run went on')")
    result = pytester.runpytest_subprocess("test_claims_a.py", "test_claims_b.py")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    printed = result.stdout.str() + result.stderr.str()
    assert "KeyboardInterrupt" in printed
    for word in ("ImportError", "Traceback", "INTERNALERROR", "the run went on"):
        assert word not in printed


def test_an_interrupt_while_the_claims_are_judged_together_ends_in_a_line(pytester):
    stopped = "def load_claims(scope=None):\n    raise KeyboardInterrupt\nj.load_claims = load_claims"
    pytester.makeconftest(f"import proofs_check.core.judging as j\n{stopped}")
    result = run(pytester, GOOD)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "interrupted while the claims were judged together" in result.stderr.str()
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_two_workers_give_the_same_ledger_and_a_circle_fails_the_run_though_every_item_passes(pytester):
    for name, run_it, workers in (("one", run_beside, "0"), ("two", run, "2")):
        result = run_it(pytester, GOOD, CIRCLE, options=f"--ledger {name} -n {workers}")
        result.assert_outcomes(passed=4)
        assert result.ret == 1
        result.stdout.fnmatch_lines(["*FAULT: the needs go round in a circle*"])
    ledger = lambda name: json.loads((pytester.path / name / "ledger.partial.json").read_text())["claims"]
    strip = lambda lines: {e["id"]: {k: v for k, v in e.items() if k != "seconds"} for e in lines}
    assert strip(ledger("one")) == strip(ledger("two"))


def test_the_claims_are_spread_over_the_cores_and_get_a_line_each(monkeypatch, pytester):
    pytester.makeconftest("import pathlib, proofs_check.plugin as p; p.HERE = pathlib.Path(__file__).parent")
    pytester.makepyfile(test_it=HEAD + GOOD)
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "2")
    result = pytester.runpytest_subprocess(*OPTIONS[:-1], ".")
    result.assert_outcomes(passed=2)
    told = "largeprompt: 2 processes judge the claims, -n 0 keeps to one"
    result.stdout.fnmatch_lines([told, "created: 2/2 workers"])
    assert sum("test_it.py::" in line for line in result.outlines) == 2
    for file, options in (("test_it.py", ()), (".", ("-k", "good"))):  # not worth importing the claims twice
        assert "processes" not in pytester.runpytest_subprocess(*OPTIONS[:-1], file, *options).stdout.str()


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize(
    "asked",
    [
        *("", "-n 0", "-n 2", "-p no:xdist", "-k good", "-m BB", "-x", "--lf", "--pdb", "--trace"),
        *("--collect-only", "-s", "--dist each"),
    ],
)
def test_who_asks_for_anything_else_gets_that(monkeypatch, pytester, asked, cores):
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", str(cores))
    config = pytester.parseconfig(*asked.split())
    told = getattr(config.option, "numprocesses", None)
    count = 3 if cores == 3 and not asked else 0
    assert spread(config) == count
    assert getattr(config.option, "numprocesses", None) == (count or told)


def test_our_modules_are_imported_as_they_are(pytester):
    """Rewriting the assertions of all of them takes longer than collecting the claims."""
    config = pytester.parseconfig()
    finders = sys.meta_path[:]
    config.pluginmanager.rewrite_hook.mark_rewrite("proofs_check")  # as pytest does with an installed wheel
    spec = util.find_spec("proofs_check.papers.statements")
    assert type(spec.loader) is SourceFileLoader
    config._ensure_unconfigure()
    assert sys.meta_path.count(Unrewritten) == finders.count(Unrewritten) - 1


def test_a_failing_claim_shows_its_witness_first(pytester):
    result = run_beside(pytester, UNDECLARED)
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    text = result.stdout.str()
    assert "witness: L = 7, delta = 1/3  [exact]" in text
    assert text.index("witness: L = 7") < text.index("declare it with false=")
    assert "Traceback" not in text


def test_a_claim_that_cannot_fail_fails(pytester):
    result = run_beside(pytester, GOOD, VACUOUS)
    result.assert_outcomes(passed=2, failed=1)
    assert result.ret == 1


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ("-k CC.3.b/good", dict(passed=1, deselected=1)),
        ("-k wrong", dict(passed=1, deselected=1)),
        ("-m BB --strict-markers", dict(passed=2)),
        ("-m OURS --strict-markers", dict(deselected=2)),
    ],
)
def test_selection_by_name_and_by_paper(pytester, options, outcome):
    run_beside(pytester, GOOD, options=options).assert_outcomes(**outcome)


def test_without_the_plugin_nothing_turns_green(pytester):
    result = run_beside(pytester, GOOD, VACUOUS, options="-p no:largeprompt --noconftest")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.assert_outcomes()


def test_other_peoples_runs_are_left_alone(pytester):
    heavy = "{'sympy', 'numpy', 'theory', 'numerics'}"
    pytester.makepyfile(f"import sys\ndef test_lazy():\n    assert not {heavy} & set(sys.modules)")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    assert "ledger" not in result.stdout.str()


ASKING = """
import sympy as sp
from numerics.provers import forall
@claim("BB:CC.3.b/asking", false="typo", costs="nothing", why="$1 < 2$", instead="c = 2",
    hypotheses=("x >= -9",), repair=dict(c=2), control=dict(c=1))
def asking(*, c=1):
    x = sp.Symbol("x")
    return forall(2 * x, "<=", x**2 + c - 1, {x: (-sp.oo, sp.oo)})
"""


def test_what_provers_were_asked_is_noted_as_the_claim_is_repaired(pytester):
    """Neither the printed statement nor a control is what the verdict rests on."""
    run(pytester, ASKING, GOOD, options="-n 2 --questions out/questions.json")
    noted = json.loads((pytester.path / "out/questions.json").read_text())
    asked = {id.partition("/")[2]: len(mine) for id, (mine, _) in noted.items()}
    assert asked == {"asking": 1, "good": 0, "wrong": 0}
