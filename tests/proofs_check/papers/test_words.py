"""What people read of a claim may stand beside its row, and is never lost there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from numerics.evidence import Evidence, Verdict
from numerics.terminal.inputs import InputError
from proofs_check.core.claim import REGISTRY, Claim, claim
from proofs_check.core.judging import load_claims
from proofs_check.papers.registered import Collection, drop_folder
from proofs_check.papers.statements import add_folder, told
from tests.proofs_check.papers import ROW


@pytest.fixture
def said(tmp_path: Path) -> Iterator[Callable[[str], Collection]]:
    """Registers a paper of one row with what is said beside it."""
    made: list[Collection] = []

    def add(words: str) -> Collection:
        (tmp_path / "statements.toml").write_text(ROW + words)
        made.append(add_folder(tmp_path))
        return made[-1]

    before = dict(REGISTRY)
    yield add
    for collection in made:
        drop_folder(collection)
    REGISTRY.clear()
    REGISTRY.update(before)


def check() -> Evidence:
    return Evidence(verdict=Verdict.PROVED, engine="exact arithmetic")


def test_an_argument_beside_the_row_weakens_the_verdict_as_one_in_the_decorator_does(
    said: Callable[[str], Collection],
) -> None:
    said("[[row.claim]]\nid = 'ME:L1'\nargument = '''\nIt is\nintegrated.\n'''\n")
    made = claim("ME:L1")(check)
    assert (made.argument, made().verdict) == ("It is integrated.", Verdict.ARGUED)
    assert claim("ME:L1/part")(check)().verdict is Verdict.PROVED


def test_words_in_two_places_are_refused(said: Callable[[str], Collection]) -> None:
    said("[[row.claim]]\nid = 'ME:L1'\nargument = 'Integrate.'\n")
    with pytest.raises(ValueError, match="argument= stands beside its row"):
        claim("ME:L1", argument="Integrate.")
    with pytest.raises(ValueError, match="a fragment is not joined"):
        claim("ME:L1", fragment="L = 1")


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ("id = 'ME:L2'", "the id 'ME:L2'"),
        ("argument = 'x'", "the id None"),
        ("id = 'ME:L1'\nreason = 'x'", "has 'reason'"),
        ("id = 'ME:L1'\nargument = 1", "has 'argument'"),
        ("id = 'ME:L1'\n[[row.claim]]\nid = 'ME:L1'", "one table with its id"),
        ("id = 1", "the id 1"),
    ],
)
def test_words_that_are_of_no_claim_are_refused(
    said: Callable[[str], Collection], words: str, match: str
) -> None:
    with pytest.raises(InputError, match=match):
        said(f"[[row.claim]]\n{words}\n")


def test_words_that_are_no_table_are_refused(said: Callable[[str], Collection]) -> None:
    with pytest.raises(InputError, match="claim = 'x'; write a table"):
        said("claim = 'x'\n")


def test_words_whose_claim_nobody_wrote_are_refused(said: Callable[[str], Collection]) -> None:
    mine = said("[[row.claim]]\nid = 'ME:L1/typo'\nargument = 'Integrate.'\n")
    claim("ME:L1")(check)
    with pytest.raises(InputError, match="words for ME:L1/typo, which is no claim"):
        load_claims((mine,))
    drop_folder(mine)
    assert "ME:L1/typo" not in told()


def test_an_import_of_a_module_reads_the_words_beside_it(tmp_path: Path) -> None:
    """Nobody names the folder: without its argument the claim would be called PROVED."""
    (tmp_path / "statements.toml").write_text(ROW + "[[row.claim]]\nid = 'ME:L1'\nargument = 'Integrate.'\n")
    (tmp_path / "lemmas_of_me.py").write_text(
        "from numerics.evidence import Evidence, Verdict\nfrom proofs_check import claim\n"
        "proved = Evidence(verdict=Verdict.PROVED, engine='exact arithmetic')\n"
        "@claim('ME:L1')\ndef lemma():\n    return proved\n"
    )
    program = [sys.executable, "-c", "from lemmas_of_me import lemma; print(lemma().verdict)"]
    path = os.pathsep.join((str(tmp_path), *sys.path))
    done = subprocess.run(
        program, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.stdout == "ARGUED\n"


def test_every_claim_has_a_name_in_its_module_where_pytest_finds_it() -> None:
    """A claim that a function makes and nobody names would be registered and never run."""
    claims = load_claims()
    modules = [module for name, module in sys.modules.items() if name.startswith("proofs_check.")]
    named = {
        value.id
        for module in modules
        for value in list(vars(module).values())
        if isinstance(value, Claim) and value.check.__module__.rpartition(".")[0] == module.__package__
    }
    assert {id for id in claims if claims[id].check.__module__.startswith("proofs_check.")} == named
