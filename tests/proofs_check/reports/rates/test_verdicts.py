"""What rate reports say of printed laws, and of our own bounds, is what the ledger says of them."""

import pytest

from numerics.attention.bound_curves import CERTAIN, OURS
from proofs_check.core.ledgers.outcomes import outcomes
from proofs_check.reports.rates.verdicts import PRINTED, declared


@pytest.mark.parametrize("name", PRINTED)
def test_what_a_report_draws_of_a_printed_law_is_what_stays_true(name, release):
    found = outcomes(release)[PRINTED[name]]
    assert name.strip("eq. ()") in found.row.where
    assert found.repaired
    assert not any(error["severity"] == "false" for error in found.errors)
    for part in (found.held, *(e["at"] for e in found.errors if e["severity"] == "edge")):
        assert part in declared(f"{name}, exponent only")


@pytest.mark.parametrize("name", OURS)
def test_our_bounds_stand_and_those_called_certain_are_proved(name, release):
    found = outcomes(release)[OURS[name]]
    assert found.stands
    if any(bound.startswith(name) for bound in CERTAIN):
        assert found.verdict in ("PROVED", "CERTIFIED")


def test_a_law_that_the_ledger_does_not_know_is_declared_nothing():
    assert declared("Theorem A") == declared("") == ""
