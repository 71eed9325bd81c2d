"""Theorem B as formulas: regimes, exact numbers in and out, and second routes for its constants."""

import math

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory.attention.query_average import (
    decay_exponent,
    decay_with_the_query,
    limit_constant,
    self_weight_rate,
    sharp_exponent,
    theorem_B,
)

HALF = sp.Rational(1, 2)


def test_the_exponent_solves_its_equation_and_joins_one_at_one_half():
    for lam in (0.01, 0.5, 1.0, 7.0):
        b = decay_exponent(lam)
        assert b * b + b == pytest.approx(1 / lam, rel=1e-12)
    assert sharp_exponent(0.499) == 1.0 == sharp_exponent(0.0)
    assert sharp_exponent(0.51) < 1


@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_constant_in_matrices(d):
    rng = np.random.default_rng(d)
    root, other, t = rng.standard_normal((d, d)), rng.standard_normal((d, d)), 0.7
    A, N = root @ root.T, other @ other.T
    A *= 0.4 / np.linalg.eigvalsh(A)[-1]
    values, vectors = np.linalg.eigh(A)
    found = limit_constant(values.tolist(), np.diag(vectors.T @ N @ vectors).tolist(), t)
    resolvent = np.linalg.inv(np.eye(d) - 2 * A)
    exact = math.sqrt(np.linalg.det(resolvent)) * (t + np.trace(N @ resolvent))
    assert found == pytest.approx(exact, rel=1e-12)


def test_exact_numbers_come_back_exact():
    assert limit_constant([sp.Rational(3, 8)], [HALF], sp.S.One) == 6
    law = theorem_B([HALF, sp.S.Zero], [HALF, sp.S.One], sp.S.One)
    assert law.log_power == sp.Rational(3, 2)
    assert sp.simplify(law.constant - sp.Rational(2, 3) ** sp.Rational(5, 2) / sp.sqrt(sp.pi)) == 0
    beyond = theorem_B([sp.Rational(4, 3)] * 2, [sp.S.One, sp.S.Zero], sp.S.One)
    assert (beyond.exponent, beyond.log_power) == (HALF, 1)
    same = theorem_B([4 / 3] * 2, [1.0, 0.0], 1.0)
    assert float(beyond.constant) == pytest.approx(same.constant, rel=1e-12)


def test_scaling_the_output_scales_the_constant_only():
    for lam in (0.2, 0.5, 2.0):
        one, four = theorem_B([lam, 0.1], [0.3, 0.2], 1.0), theorem_B([lam, 0.1], [1.2, 0.8], 4.0)
        assert one[:2] == four[:2]
        assert four.constant == pytest.approx(4 * one.constant, rel=1e-12)


def test_a_direction_without_scores_only_adds_to_the_constant():
    assert theorem_B([2.0, 0.0], [2.0, 0.0], 3.0) == theorem_B([2.0], [2.0], 3.0)


test_what_the_theorem_does_not_cover_is_refused = refusals(
    (lambda: theorem_B([1.0, 0.2], [0.0, 1.0], 1.0), "rho = 0"),
    (lambda: theorem_B([-0.1], [1.0], 1.0), "must not be negative"),
    (lambda: theorem_B([], [], 1.0), "nor empty"),
    (lambda: decay_exponent(0.0), "not positive"),
)


def test_the_query_itself_never_helps_and_never_hurts_for_one_law():
    for U in np.linspace(-3, 3, 25):
        lam, nu = float(U * U), float(self_weight_rate(1.0, U, 1.0))
        assert nu <= 1
        assert decay_with_the_query(lam, nu) == sharp_exponent(lam)
    assert decay_with_the_query(0.25, float(self_weight_rate(1.0, 1.0, 0.25))) == pytest.approx(4 / 7)
