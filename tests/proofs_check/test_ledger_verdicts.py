"""What rate reports say of printed laws, and of our own bounds, is what the ledger of the release
says of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from numerics.rates.ledger_verdicts import OURS, PRINTED, Printed
from proofs_check.core.outcomes import Outcome, outcomes


@pytest.fixture(scope="module")
def known(release: dict[str, Any]) -> dict[str, Outcome]:
    return outcomes(release)


@pytest.mark.parametrize("name", PRINTED)
def test_a_report_says_of_a_printed_law_what_the_ledger_says(name: str, known: dict[str, Outcome]) -> None:
    law = PRINTED[name]
    found = known[law.row]
    assert name.strip("eq. ()") in found.row.where
    places = [e["at"] for e in found.errors if e["severity"] == "edge"]
    assert law == Printed(law.row, found.severity, tuple(dict.fromkeys(places)), found.held)
    assert found.repaired
    # What a report draws, Lemma C.4 from L = 2 on and exponents, is what stays true.
    assert not any(e["severity"] == "false" for e in found.errors)


@pytest.mark.parametrize("name", OURS)
def test_and_of_a_bound_of_ours(name: str, known: dict[str, Outcome]) -> None:
    row, verdict = OURS[name]
    found = known[row]
    assert verdict == found.verdict + (f" (parts {found.weakest})" if found.weakest else "")
    assert found.stands
