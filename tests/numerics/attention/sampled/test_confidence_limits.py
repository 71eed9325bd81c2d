"""The binomial limits of Clopper and Pearson: they decide or abstain, and cover as they say."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from numerics.attention.sampled.confidence_limits import clopper_pearson
from numerics.evidence import Verdict

coin = lambda p: lambda rng, n: rng.random(n) < p


@pytest.mark.parametrize(
    ("p", "op", "bound", "verdict"),
    [(0.1, "<=", 0.2, "SUPPORTED"), (0.1, ">=", 0.05, "SUPPORTED"), (0.3, "<=", 0.2, "REFUTED"),
     (0.1, ">=", 0.2, "REFUTED"), (0.2, "<=", 0.2, "OPEN"), (0.0, "<=", 0.01, "SUPPORTED"),
     (1.0, "<=", 1.0, "SUPPORTED"), (1.0, ">=", 0.99, "SUPPORTED"), (0.1, "<=", F(1, 2), "SUPPORTED")],
)  # fmt: skip
def test_binomial_limits_decide_or_abstain(p, op, bound, verdict):
    e = clopper_pearson(coin(p), op, bound, 5000)
    assert e.verdict.value == verdict
    assert e.verdict is not Verdict.REFUTED or 0 < e.error <= 1e-9


def test_binomial_limits_cover():
    """With a share of 0.2, at most a fifth of 400 are accepted, and 5 standard deviations."""
    rng, accepted = np.random.default_rng(5), 0
    for p in rng.random(400):
        accepted += (
            clopper_pearson(lambda _, n, p=p: rng.random(n) < p, "<=", float(p), 50, error=0.2).verdict
            is Verdict.SUPPORTED
        )
    assert accepted <= 400 * 0.2 + 5 * np.sqrt(400 * 0.16)


@pytest.mark.parametrize(
    ("p", "op", "bound"), [(0.01, "<=", 0.05), (0.98, ">=", 0.5), (0.3, ">=", 0.1), (0.3, "<=", 0.5)]
)
def test_the_slack_scatters_by_its_standard_error(p, op, bound):
    """Up to a factor of 2: the error is that of the count, the slack that of a limit."""
    rng = np.random.default_rng(8)
    found = [clopper_pearson(lambda _, n: rng.random(n) < p, op, bound, 4000) for _ in range(100)]
    scatter = np.std(np.log([float(e.slack or 0) for e in found]))
    assert 0.5 < scatter / np.mean([e.slack_error for e in found]) < 2


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"op": "<"}, ValueError, "'<='"),
        ({"bound": math.nan}, ValueError, "finite"),
        ({"bound": "a"}, TypeError, "real numbers"),
        ({"n": 0}, ValueError, "one trial"),
        ({"n": 10**12}, ValueError, "n = 1000000000000 is outside 1 ... 10000000000"),
        ({"n": 2.5}, TypeError, "integer number of times"),
        ({"event": 0.5}, TypeError, "integer number of times"),
        ({"event": lambda rng, n: rng.random(n)}, ValueError, "booleans"),
        ({"error": 0.0}, ValueError, r"in \(0, 1\)"),
        ({"error": math.nan}, ValueError, "entry nan"),
    ],
)
def test_what_is_no_confidence_statement_is_refused(change, error, says):
    with pytest.raises(error, match=says):
        clopper_pearson(**{"event": coin(0.5), "op": "<=", "bound": 0.5, "n": 4} | change)
