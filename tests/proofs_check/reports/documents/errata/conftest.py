"""The errata that the release's ledger gives, made once."""

from unittest.mock import patch

import pytest

from proofs_check.papers import witnesses
from proofs_check.papers.statements import is_own, papers
from proofs_check.reports.documents.errata import all_errata


@pytest.fixture(scope="session")
def errata_by_paper(release, outputs):
    with patch.object(witnesses, "run", lambda texts, **_: {id: outputs[witnesses.slug(id)] for id in texts}):
        return all_errata(release, [key for key in papers() if not is_own(key)])


@pytest.fixture(scope="session")
def errata(errata_by_paper):
    return errata_by_paper["BB"]
