"""The ledger of the release and what the witness scripts print, each made once."""

import json

import pytest

from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.papers.witnesses import run, scripts
from proofs_check.reports.cli import main


@pytest.fixture(scope="session")
def release():
    """A ledger of all claims; that it meets its schema is a test of its own."""
    found = json.loads(RELEASE.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session")
def outputs():
    """By the names of the scripts."""
    return run(scripts())


@pytest.fixture
def ran(capsys):
    """What a command prints, after its exit status and its words."""

    def ran(status, *words):
        assert main([*map(str, words)]) == status
        return capsys.readouterr()

    return ran
