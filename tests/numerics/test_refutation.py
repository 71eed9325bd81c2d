"""A refutation by two routes counts only where they agree."""

from __future__ import annotations

import pytest

from numerics.evidence import Verdict
from numerics.refutation import refuted_by_two_routes


def test_routes_that_agree_refute() -> None:
    found = refuted_by_two_routes("quadrature", {"L": 3}, 2.0, 1.5, 2.0 + 1e-8, checked="x")
    assert (found.verdict, found.witness["L"], found.checked) == (Verdict.REFUTED, 3, "x")
    assert 0 < found.disagreement < 1e-6


def test_the_violation_is_the_measure() -> None:
    assert refuted_by_two_routes("quadrature", {"L": 3}, 1.5 + 1e-6, 1.5, 1.5 + 1.1e-6).verdict is Verdict.OPEN


def test_what_holds_is_not_refuted() -> None:
    with pytest.raises(ValueError, match="nothing to refute"):
        refuted_by_two_routes("quadrature", {"L": 3}, 1.0, 1.5, 1.0)
