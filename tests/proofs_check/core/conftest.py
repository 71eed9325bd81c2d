"""What tests that make up claims need."""

from unittest.mock import patch

import pytest

from proofs_check.core.claim import REGISTRY


@pytest.fixture
def nobody_read_the_row(monkeypatch):
    """Who read the row answered of its own claims; those of the test are forgotten after it."""
    monkeypatch.setattr("proofs_check.core.printed.is_read", lambda key: False)
    with patch.dict(REGISTRY):
        yield
