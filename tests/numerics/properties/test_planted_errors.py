"""Ten claims with a number of the paper spoiled: the property alone finds at least nine of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from numerics.evidence import Evidence, Verdict
from numerics.properties.dispatch import of_statements
from numerics.properties.holds import holds
from proofs_check.core.judging import load_claims

#: From a claim to wrong numbers in place of the paper's, which the claim's own engine refutes too.
WRONG: Mapping[str, Mapping[str, Any]] = {
    "BB:L2.1.b": {"factor": Fraction(1, 2)},
    "BB:A3.3.rem": {"power": 1},
    "BB:21": {"c": 4},
    "BB:LD.1.4th": {"c": 1},
    "BB:CC.3.a": {"c": 32},
    "BB:LC.1.half": {"c": 1},
    "BB:LC.1.Q2": {"exponent": 2},
    "BB:LC.1.CL": {"c": 1},
    "BB:LC.4.subadd": {"c": Fraction(1, 2)},
    "BB:LC.4.log": {"six": 3},
}


def by_examples(judged: Evidence) -> Evidence:
    """What a hundred drawn examples say of the statement that an engine judged."""
    return holds(*of_statements(judged.sides), examples=100)


@pytest.mark.parametrize("id", WRONG)
def test_the_true_version_holds_at_every_example(id: str) -> None:
    found = by_examples(load_claims()[id]())
    assert (found.verdict, found.samples) == (Verdict.SUPPORTED, 100)


def test_nine_of_ten_wrong_versions_are_found_by_examples_alone() -> None:
    judged = {id: load_claims()[id](**numbers) for id, numbers in WRONG.items()}
    assert {e.verdict for e in judged.values()} == {Verdict.REFUTED}
    found = {id: by_examples(e) for id, e in judged.items()}
    missed = [id for id, e in found.items() if e.verdict is not Verdict.REFUTED]
    assert len(missed) <= 1, missed
    assert all(e.witness for id, e in found.items() if id not in missed)
