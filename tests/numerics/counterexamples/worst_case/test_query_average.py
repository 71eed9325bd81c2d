"""Exact averages over prompt and query: all prompts, Arb against floats, verdicts."""

import itertools
from fractions import Fraction
from math import nan
from typing import Any

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.worst_case.query_average import (
    Instance,
    PromptAndQuery,
    covariance_error,
    fourth_error,
    moments,
    squared_error,
    tightest,
)
from numerics.evidence import Verdict
from numerics.token_laws import atoms

THIRD = Fraction(1, 3)
SKEWED = ((Fraction(2), Fraction(1)), (-Fraction(1), -Fraction(1, 2)))
TOKENS = atoms(SKEWED, (THIRD, 2 * THIRD), sigma2=Fraction(5))
QUERY = atoms(((THIRD, 0), (-2 * THIRD, 0)), (2 * THIRD, THIRD))
INSTANCE = PromptAndQuery(TOKENS, QUERY, Fraction(3, 4), "x")


def one_by_one(L: int, order: int) -> tuple[float, float]:
    """E|T_L - T|^order and E|z|^2 |C_L - C|^2 over all prompts, token by token."""
    points, weights = np.array(SKEWED, dtype=float), np.array([1, 2]) / 3
    error = covariance = 0.0
    for z, mass in zip(np.array([[1, 0], [-2, 0]]) / 3, (2 / 3, 1 / 3)):
        moments_at: list[Any] = []
        for prompt in [(0, 1), *itertools.product((0, 1), repeat=L)]:
            tokens = points[list(prompt)]
            p = np.exp(0.75 * tokens @ z) * (weights if not moments_at else 1)
            p = p / p.sum()
            mean = p @ tokens
            covered = tokens.T @ np.diag(p) @ tokens - np.outer(mean, mean)
            moments_at.append((mean, covered, np.prod(weights[list(prompt)])))
        (m, C, _), rest = moments_at[0], moments_at[1:]
        error += mass * sum(w * np.sum((t - m) ** 2) ** (order / 2) for t, _, w in rest)
        covariance += mass * (z @ z) * sum(w * np.sum((c - C) ** 2) for _, c, w in rest)
    return error, covariance


@pytest.mark.parametrize("L", [1, 2, 4])
def test_averages_over_all_prompts(L):
    for order, statistic in ((2, squared_error), (4, fourth_error)):
        assert float(INSTANCE.average(L, statistic)) == pytest.approx(one_by_one(L, order)[0], rel=1e-12)
    expected = one_by_one(L, 2)[1]
    assert float(INSTANCE.average(L, covariance_error, moments)) == pytest.approx(expected, rel=1e-12)


def test_balls_enclose_floats_and_a_factor_of_the_query():
    for statistic, f in ((squared_error, None), (covariance_error, moments)):
        ball = INSTANCE.average(3, statistic, f, exact=True)
        assert float(ball.rad()) < 1e-12
        assert float(ball) == pytest.approx(INSTANCE.average(3, statistic, f), rel=1e-12)
    # of the two queries, |z| = 1/3
    one = INSTANCE.average(3, squared_error, g=lambda z: float((z * z).sum() < 0.2))
    other = INSTANCE.average(3, squared_error) - one
    weighted = INSTANCE.average(3, squared_error, g=lambda z: (z * z).sum())
    assert weighted == pytest.approx(one / 9 + 4 * other / 9)


def instance(left: float, right: float, *, exact: bool = True, **where: object) -> Instance:
    sides = (sp.Rational(str(left)), sp.Rational(str(right))) if exact else None
    return Instance(where, left, right, None if sides is None else lambda: sides)


def judge(*instances: Instance) -> Verdict:
    return tightest(instances, checked="", covered="these").verdict


def test_verdicts():
    assert judge(instance(1, 2), instance(1, 3)) is Verdict.SUPPORTED
    assert judge(instance(1, 2), instance(3, 2)) is Verdict.REFUTED
    assert judge(instance(3, 2, exact=False)) is Verdict.OPEN
    assert judge(Instance({}, nan, 1.0)) is Verdict.OPEN
    # a float alone refutes nothing
    assert judge(Instance({}, 1.0, 0.5, lambda: (sp.S.One, sp.S.One))) is Verdict.OPEN
    found = tightest([instance(1, 2, L=1), instance(1, 1.5, L=2)], checked="", covered="these")
    assert (found.slack, dict(found.tightest)) == (1.5, {"L": 2})
    first = tightest([instance(4, 2, L=1), instance(9, 2, L=2)], checked="", covered="these")
    assert (first.witness["L"], first.slack) == (1, 0.5)
