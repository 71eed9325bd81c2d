"""The ledger of the release and what the witness scripts print, each made once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.papers.witnesses import Output, run, scripts


@pytest.fixture(scope="session")
def release() -> dict[str, Any]:
    """A ledger of all claims; that it meets its schema is a test of its own."""
    found: dict[str, Any] = json.loads(RELEASE.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session")
def outputs() -> dict[str, Output]:
    """By the names of the scripts."""
    return run(scripts())
