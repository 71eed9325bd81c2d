"""The errata that the release's ledger gives, made once."""

from __future__ import annotations

import pytest

from proofs_check.core.kept import RELEASE, find_ledger
from proofs_check.documents.errata import Errata, errata_of


@pytest.fixture(scope="session")
def errata() -> Errata:
    return errata_of(find_ledger(str(RELEASE)).document)
