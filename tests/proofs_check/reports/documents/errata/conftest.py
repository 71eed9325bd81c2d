"""The errata that the release's ledger gives, made once."""

from unittest.mock import patch

import pytest

from proofs_check.papers import witnesses
from proofs_check.reports.documents.errata import errata_of


@pytest.fixture(scope="session")
def errata(release, outputs):
    with patch.object(witnesses, "run", lambda texts, **_: {id: outputs[witnesses.slug(id)] for id in texts}):
        return errata_of(release, "BB")
