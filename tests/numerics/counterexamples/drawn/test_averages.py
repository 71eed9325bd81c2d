"""Bounds on the softmax average: two routes, known edges, and wrong bounds refuted by Arb."""

import numpy as np
import pytest
import sympy as sp

from numerics.attention.exact.softmax_average import deviation_S, error_squared, normaliser, symbol
from numerics.counterexamples.drawn.averages import (
    ATOMS,
    LENGTHS,
    MOST,
    PLACES,
    AverageBound,
    _average,
    _length,
    _point,
)
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.worst_case.reference import StatisticBound
from numerics.counterexamples.worst_case.statement import Mean, Tail
from numerics.counterexamples.worst_case.worst_average import at_point
from numerics.evidence import Verdict
from theory.bounds.concentration import lemma_c4, second_moment_R1

L, a2, F4, sigma2, C_f, d, S, EM2 = (symbol(n) for n in ("L", "a2", "F4", "sigma2", "C_f", "d", "S", "EM2"))
delta = sp.Symbol("delta", positive=True)


def property_of(left: Mean | Tail | sp.Expr, right: sp.Expr, *, exponents: bool = False) -> AverageBound:
    return AverageBound(StatisticBound(left, sp.sympify(right), exponents))


R1 = property_of(Mean(error_squared), second_moment_R1(L, a2, F4, 75))


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("growth", [0, 1, 2])
def test_codes_stand_for_the_same_instance_in_floats_and_in_rationals(k, growth):
    for codes in np.random.default_rng(k).integers(-MOST // 2, MOST // 2, (12, PLACES)):
        row = tuple(codes.tolist())
        fast = _average(k, growth, (1, PLACES), codes[None].tobytes())
        slow = _point(k, growth, row).approximate(_length(k, row))
        for variable in (error_squared, normaliser, deviation_S):
            expected = float(slow.mean(variable))
            assert float(fast.mean(variable)[0]) == pytest.approx(expected, rel=1e-3, abs=1e-300)
        assert float(fast.a2[0]) == pytest.approx(float(slow.a2), rel=1e-4)


def test_every_length_has_a_code():
    for k, lengths in LENGTHS.items():
        assert {_length(k, (code,)) for code in range(-MOST, MOST + 1)} == set(lengths)


def test_the_edge_of_a_bound_is_reached():
    """The ratio of R1 is 1 at Rademacher tokens, U = 0 and f(z) = z, and hardly larger anywhere."""
    found = holds(R1)
    assert found.verdict is Verdict.SUPPORTED
    assert 1 / found.slack > 0.98 / 75


def test_short_rare_tokens_are_reached():
    """Chebyshev's inequality is an equality in the limit of one rare token."""
    assert 1 / holds(property_of(Tail(deviation_S, ">=", 3 * L * EM2 / delta, delta), delta)).slack > 0.95 / 3


@pytest.mark.parametrize(
    ("wrong", "most_atoms"),
    [
        (property_of(Mean(error_squared), second_moment_R1(L, a2, F4, sp.Rational(9, 10))), 2),
        (property_of(Mean(normaliser), L * sp.exp(a2 / 3)), 3),
        (property_of(Mean(error_squared), lemma_c4(L, a2, F4, sigma2, C_f, d, power=1)), 2),
        (property_of(Mean(error_squared), F4 / L**2), 2),
        (property_of(Tail(deviation_S, ">=", L * EM2 / (2 * delta), delta), delta), 3),
    ],
    ids=["constant", "exponent", "a factor C_f lost", "a power of L", "tail"],
)
def test_planted_errors_are_found_and_shrunk(wrong, most_atoms):
    found = holds(wrong)
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "Arb")
    assert found.witness["left"] > found.witness["right"]
    assert len(found.witness["atoms"].split(",")) <= most_atoms


def test_a_short_counterexample_is_found():
    found = holds(property_of(Mean(error_squared), F4 / (100 * L)))
    assert (found.witness["L"], found.witness["atoms"], found.witness["weights"]) == (1, "1, -1", "1/2, 1/2")
    assert found.witness["Uz"] == "0"


def test_the_control_of_a_bound_is_just_below_what_is_reached():
    assert holds(R1.scaled(sp.Rational(95, 100 * 75))).verdict is Verdict.REFUTED
    lower, bound = Tail(normaliser, "<=", (1 - delta) * S, delta), sp.exp(-(delta**2) * S**2 / (2 * L * EM2))
    tail = property_of(lower, bound, exponents=True)
    assert tail.scaled(sp.Rational(1, 2)).normal.limit == tail.normal.limit / 2


def test_a_witness_is_one_by_the_definition_too():
    wrong = property_of(Mean(error_squared), F4 / L**2)
    example = (ATOMS.index(2), 0, *[0] * PLACES)
    found = wrong.tried(example)
    assert found.ratio > 1
    evidence = at_point(_point(2, 0, found.at), _length(2, found.at), wrong.bound.left, wrong.bound.right)
    assert evidence.verdict is wrong.exactly(example, found.at).verdict is Verdict.REFUTED
