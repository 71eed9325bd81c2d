"""What a claim loses at the reference instance, asked without its search, is what its ledger line
says.
"""

from __future__ import annotations

import pytest

from proofs_check.core.ledger import load_claims


@pytest.mark.parametrize("id", ["OURS:R1.off", "OURS:R2.off", "BB:LC.1.15", "BB:LC.1.BCL"])
def test_the_loss_without_a_search_is_that_of_the_search(id: str) -> None:
    one = load_claims()[id]
    assert one.loss() == one(**one.repair).reference
