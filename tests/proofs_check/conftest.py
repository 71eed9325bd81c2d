"""The ledger of the release, read once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proofs_check.core.kept import RELEASE


@pytest.fixture(scope="session")
def release() -> dict[str, Any]:
    """A ledger of all claims; that it meets its schema is a test of its own."""
    found: dict[str, Any] = json.loads(RELEASE.read_text(encoding="utf-8"))
    return found
