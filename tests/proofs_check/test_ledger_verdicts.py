"""Rate reports say of printed laws and our own bounds what the ledger of the release says."""

from __future__ import annotations

from typing import Any

import pytest

from numerics.rates.features import ledger_verdicts as times
from numerics.rates.ledger_verdicts import OURS, PRINTED, Printed
from numerics.rates.windows import ledger_verdicts as windows
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


@pytest.mark.parametrize("laws", [times, windows], ids=["times of learning", "windows"])
def test_and_of_the_laws_of_the_other_papers(laws: Any, release: dict[str, Any]) -> None:
    found = {claim["id"]: claim["verdict"] for claim in release["claims"]}
    assert {row: found[row] for row in (*laws.PRINTED, *laws.OURS)} == {**laws.PRINTED, **laws.OURS}
