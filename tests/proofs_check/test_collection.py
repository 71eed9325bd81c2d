"""The plugin collects every claim where it is written: of the release, and of folders of others."""

import ast
import re
from unittest.mock import patch

import pytest

from proofs_check.core.claim import REGISTRY
from proofs_check.core.judging import load_claims
from proofs_check.papers.registered import collections, drop_folder
from proofs_check.papers.statements import PACKAGE, rows
from tests.proofs_check.papers import ROW
from tests.proofs_check.test_plugin import GOOD, HEAD

pytest_plugins = "pytester"

ALONE = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
NAMED = ("-p", "no:cacheprovider", "-n", "0")


def ids_in_the_source():
    """The ids in every ``@claim(...)`` and in every call whose claim a module names."""
    trees = [ast.parse(p.read_text(encoding="utf-8")) for p in PACKAGE.rglob("*.py")]
    decorators = (d for tree in trees for n in ast.walk(tree) for d in getattr(n, "decorator_list", ()))
    named = (n.value for tree in trees for n in tree.body if isinstance(n, ast.Assign))
    calls = [d for d in decorators if isinstance(d, ast.Call) and getattr(d.func, "id", "") == "claim"]
    calls += [call for call in named if isinstance(call, ast.Call) and call.args]
    first = (call.args[0] for call in calls)
    ids = (x.value for x in first if isinstance(x, ast.Constant) and isinstance(x.value, str))
    return [id for id in ids if re.fullmatch(r"[A-Z]+:\S+", id)]


def test_no_claim_vanishes_with_a_move(pytester):
    registered, written = set(load_claims()), ids_in_the_source()
    assert len(written) == len(set(written))
    assert set(written) == registered
    collected = pytester.runpytest_inprocess("--collect-only", "-q", *ALONE, str(PACKAGE))
    assert {line.split("::", 1)[1] for line in collected.outlines if "::" in line} == registered
    assert rows().keys() == {claim.row for claim in load_claims().values()}


@pytest.fixture
def paper():
    """Writes a folder with the claims of a paper of its own, and forgets it afterwards."""

    def write(folder):
        folder.mkdir(parents=True)
        (folder / "lemma.py").write_text((HEAD + GOOD).replace("BB:CC.3.b", "ME:L1"))
        return folder

    known = {made.root for made in collections()}
    with patch.dict(REGISTRY):
        yield write
    for made in collections():
        if made.root not in known:
            drop_folder(made)


def test_no_claim_needs_an_assumption():
    """What a statement supposes stands among its hypotheses; examples of it say that it can be met,
    and a chain is no weaker for that.
    """
    supposed = {id for id, row in rows().items() if row.kind == "assumption"}
    needs = [(id, need) for id, claim in load_claims().items() for need in claim.needs]
    assert supposed
    assert [(id, need) for id, need in needs if need in supposed] == []


def test_a_folder_with_statements_is_collected_wherever_it_stands(monkeypatch, pytester, paper):
    folder = paper(pytester.path / "room" / "paper")
    monkeypatch.setattr("proofs_check.plugin.HERE", pytester.path)
    pytester.runpytest_inprocess(*NAMED, "room").assert_outcomes()
    (folder / "statements.toml").write_text(ROW)
    pytester.runpytest_inprocess(*NAMED, "room").assert_outcomes(passed=2)


def test_a_package_of_papers_that_is_named_by_its_import_gets_a_line_a_claim(monkeypatch, pytester, paper):
    folder = paper(pytester.mkpydir("installed") / "paper")
    (folder / "__init__.py").touch()
    (folder / "statements.toml").write_text(ROW)
    monkeypatch.setattr("proofs_check.plugin.HERE", pytester.path / "installed")
    monkeypatch.syspath_prepend(pytester.path)
    monkeypatch.chdir(pytester.mkdir("elsewhere"))
    result = pytester.runpytest_inprocess(*NAMED, "--pyargs", "installed.paper")
    result.assert_outcomes(passed=2)
    lines = ["*ME:L1/good PROVED*", "*ME:L1/wrong REFUTED -> PROVED as repaired*"]
    result.stdout.fnmatch_lines(lines)
