"""The errata that the release's ledger gives, made once."""

from __future__ import annotations

from typing import Any

import pytest

from proofs_check.documents.errata import Errata, errata_of


@pytest.fixture(scope="session")
def errata(release: dict[str, Any]) -> Errata:
    return errata_of(release)
