"""Properties that claims bring: their two evaluations agree, and they find what is false."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.prompts_and_queries import drawn_query
from numerics.evidence import Verdict
from numerics.rationals import sympy_rational
from proofs_check.instances.long_prompts import LongPrompts, compared
from proofs_check.instances.random_query.average_split import expected_maximum
from proofs_check.instances.random_query.weighted_queries import DEVIATIONS, WeightedQueries
from theory.bounds.query_average import weighted_query_moment


@pytest.mark.parametrize("example", [(1, 0, 0), (2, 0, 3), (0, 1, 12), (2, 1, 15), (0, 2, 0)])
@pytest.mark.parametrize("j", [0, 1, 3])
def test_weighted_moments_are_integrals(example, j):
    gaussian, other, rare = example
    nodes, masses = np.polynomial.hermite_e.hermegauss(60)
    for s in DEVIATIONS[:4]:
        z2, p = np.zeros(1), np.ones(1)
        for _ in range(gaussian):
            z2 = (z2[:, None] + (float(s) * nodes) ** 2).ravel()
            p = (p[:, None] * masses / masses.sum()).ravel()
        if other:
            law = drawn_query(1, 0, rare)
            x, w = np.array([float(v) for (v,) in law.points]), np.array([float(v) for v in law.weights])
            z2, p = (z2[:, None] + x**2).ravel(), (p[:, None] * w).ravel()
        expected = float(p @ (z2**j * np.exp(z2 / 4)))
        for kind in (float, sympy_rational):
            found = float(WeightedQueries._left(example, s, j, kind))
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_weighted_moments_are_sharp_for_gaussian_queries():
    assert holds(WeightedQueries(weighted_query_moment)).slack == pytest.approx(1)
    share = lambda d: sp.Rational(999, 1000) if isinstance(d, sp.Basic) else 0.999
    lower = WeightedQueries(lambda d, j: weighted_query_moment(d, j) * share(d))
    assert holds(lower).verdict is Verdict.REFUTED


@pytest.mark.parametrize("example", [(0, 0, 0, 0), (1, 0, -1, 6), (0, 4, 3, 39), (5, 8, 2, 99)])
def test_tails_in_floating_point_are_the_exact_ones(example):
    tried = LongPrompts(True).tried(example)
    _, tail, bound = compared(tried.at, *LongPrompts._law(example), True)
    assert tried.ratio == pytest.approx(float(tail / bound), rel=1e-9)


def test_the_plain_mean_is_not_the_limit():
    assert holds(LongPrompts(True)).slack > 1.9
    assert holds(LongPrompts(False)).verdict is Verdict.REFUTED


def test_the_expected_maximum_is_that_of_all_prompts():
    class At:
        L = sp.Integer(3)
        weights = (sp.Rational(1, 2), sp.Rational(1, 3), sp.Rational(1, 6))
        tokens = (np.array([[sp.Integer(v)] for v in (1, -3, 2)], dtype=object), [*weights])

    mass = {1: Fraction(1, 2), 3: Fraction(1, 3), 2: Fraction(1, 6)}
    prompts = [(a, b, c) for a in mass for b in mass for c in mass]
    expected = sum(math.prod(mass[v] for v in prompt) * max(prompt) ** 4 for prompt in prompts)
    assert expected_maximum(At(), 4) == sympy_rational(Fraction(expected))
