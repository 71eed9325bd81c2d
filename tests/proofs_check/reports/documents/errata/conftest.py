"""The errata that the release's ledger gives, made once."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from proofs_check.papers import witnesses
from proofs_check.papers.witnesses import Output
from proofs_check.reports.documents.errata import Errata, errata_of


@pytest.fixture(scope="session")
def errata(release: dict[str, Any], outputs: dict[str, Output]) -> Errata:
    with patch.object(witnesses, "run", lambda texts, **_: {id: outputs[witnesses.slug(id)] for id in texts}):
        return errata_of(release, "BB")
