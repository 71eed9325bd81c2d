"""What people read of a claim may stand beside its row, and is never lost there."""

import os
import subprocess
import sys

import pytest

from numerics.evidence import Evidence, Verdict
from numerics.terminal.inputs import InputError
from proofs_check.core.claim import REGISTRY, Claim, claim
from proofs_check.core.judging import load_claims
from proofs_check.papers.registered import drop_folder
from proofs_check.papers.statements import add_folder, row, told
from tests.proofs_check.papers import ROW


@pytest.fixture
def said(tmp_path):
    """Registers a paper of one row with what is said beside it."""
    made = []

    def add(words):
        (tmp_path / "statements.toml").write_text(ROW + words)
        made.append(add_folder(tmp_path))
        return made[-1]

    before = dict(REGISTRY)
    yield add
    for collection in made:
        drop_folder(collection)
    REGISTRY.clear()
    REGISTRY.update(before)


def check():
    return Evidence(verdict=Verdict.PROVED, engine="exact arithmetic")


def test_an_argument_beside_the_row_weakens_the_verdict_as_one_in_the_decorator_does(said):
    said("[[row.claim]]\nid = 'ME:L1'\nargument = '''\nIt is\nintegrated.\n'''\n")
    made = claim("ME:L1")(check)
    assert (made.argument, made().verdict) == ("It is integrated.", Verdict.ARGUED)
    assert claim("ME:L1/part")(check)().verdict is Verdict.PROVED


def test_the_lines_of_a_sentence_are_joined(said):
    said('[[row]]\nid = "ME:L2"\nwhere = "Lemma 2"\nkind = "INT"\nprinted = "x"\nsays = """x\n  and y"""\n')
    assert row("ME:L2").says == "x and y"


def test_words_in_two_places_are_refused(said):
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
        ("id = 'ME:L1'\nwhy = 'No.'\n[[row.claim]]\nid = 'ME:L1'\nwhy = 'No.'", "one table with its id"),
        ("id = 'ME:L1'", "says nothing"),
        ("id = 1", "the id 1"),
        ("", "claim = 'x'; write a table"),
    ],
)
def test_words_that_are_of_no_claim_are_refused(said, words, match):
    with pytest.raises(InputError, match=match):
        said(f"[[row.claim]]\n{words}\n" if words else "claim = 'x'\n")


def test_words_whose_claim_nobody_wrote_are_refused(said):
    mine = said("[[row.claim]]\nid = 'ME:L1/typo'\nargument = 'Integrate.'\n")
    claim("ME:L1")(check)
    with pytest.raises(InputError, match="words for ME:L1/typo, which is no claim"):
        load_claims((mine,))
    drop_folder(mine)
    assert "ME:L1/typo" not in told()


def test_an_import_of_a_module_reads_the_words_beside_it(tmp_path):
    """Nobody names the folder: without its argument the claim would be called PROVED."""
    (tmp_path / "statements.toml").write_text(ROW + "[[row.claim]]\nid = 'ME:L1'\nargument = 'Integrate.'\n")
    (tmp_path / "lemmas_of_me.py").write_text(
        "from numerics.evidence import Evidence, Verdict\nfrom proofs_check import claim\n"
        "proved = Evidence(verdict=Verdict.PROVED, engine='exact arithmetic')\n"
        "@claim('ME:L1')\ndef lemma():\n    return proved\n"
    )
    program = [sys.executable, "-c", "from lemmas_of_me import lemma; print(lemma().verdict)"]
    path = os.pathsep.join((str(tmp_path), *sys.path))
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=env)
    assert done.stdout == "ARGUED\n"


def test_every_claim_has_a_name_in_its_module_where_pytest_finds_it():
    """A claim that a function makes and nobody names would be registered and never run."""
    claims = load_claims()
    modules = [module for name, module in sys.modules.items() if name.startswith("proofs_check.")]
    pairs = ((module, x) for module in modules for x in [*vars(module).values()] if isinstance(x, Claim))
    home = lambda claim: claim.check.__module__.rpartition(".")[0]
    named = {claim.id for module, claim in pairs if home(claim) == module.__package__}
    assert {id for id in claims if claims[id].check.__module__.startswith("proofs_check.")} == named
