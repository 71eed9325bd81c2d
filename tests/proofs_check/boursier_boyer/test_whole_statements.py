"""A verdict speaks of the whole row, and what is executed covers all that the row admits."""

import pytest

from numerics.evidence import Verdict
from proofs_check.core.judging import run_claim


@pytest.mark.parametrize("id", ["BB:LF.1.iii.a"])
def test_what_a_sentence_joins_to_the_row_is_argued(id):
    found = run_claim(id)
    assert (found["verdict"], found["faults"]) == (Verdict.ARGUED, [])


@pytest.mark.parametrize(
    ("id", "verdict"),
    [
        ("BB:LC.6.T2b", Verdict.ARGUED),  # the bound that is simplified is another row's
        ("BB:LF.1.corner", "PROVED"),
        ("BB:24-27/exit", Verdict.ARGUED),  # one path is executed
        ("BB:28/absorb", "CERTIFIED"),
        ("BB:16/c3", "SUPPORTED"),  # U = 0, f = z and Gaussian tokens
        ("BB:LC.4/zero", "CERTIFIED"),  # the exponent is defined, and the bound holds
        ("BB:AC.5/i", "PROVED"),
        ("BB:4.loss", "PROVED"),
    ],
)
def test_a_repair_has_the_verdict_of_what_was_executed_of_it(id, verdict):
    found = run_claim(id)
    assert (found["verdict"], found["repair"]["verdict"], found["faults"]) == ("REFUTED", verdict, [])


@pytest.mark.parametrize(
    ("id", "ranges"),
    [
        ("BB:LC.6.5x", [r"L \in (0, \infty)", r"G \in [0, \infty)"]),  # any L > 0, and g may be 0
        ("BB:LC.1.a2a", [r"K \in [0, \infty)"]),  # f may be 0
        ("BB:24-27/monotone", [r"t \in [0, \infty)", r"h \in [0, \infty)"]),
        ("BB:LE.1/inference", [r"\beta \in (0, \infty)"]),  # the repair, for every constant
        ("BB:AC.5/i", [r"F \in [0, \infty)"]),  # the repair, for every f and p
        ("OURS:P3.1/form", [r"B \in [0, \infty)"]),  # U may be 0
        ("OURS:LF.1/sixth", [r"n \in [0, \infty)"]),  # label noise
    ],
)
def test_what_is_executed_reaches_the_ends_of_the_domain(id, ranges):
    found = run_claim(id)
    checked = (found["repair"] or found)["evidence"]["checked"]
    assert [x for x in ranges if x not in checked] == []
