"""Answers beyond the range of floats are refused by their name, wherever they overflow."""

import math

import numpy as np
import pytest
import sympy as sp

from theory.attention.layer import gaussian_output, linear_attention, softmax_attention
from theory.inputs.overflow import within_floats
from theory.regression.any_parameters import full_risk, full_risk_gradient
from theory.regression.risk import (
    effective_covariance,
    icl_risk,
    icl_risk_gradient,
    invariants,
    task_covariance,
    vector_field,
)

I = np.eye(2)
BEYOND = [
    (icl_risk, (1e155 * I, I, 1.0)),
    (icl_risk, (I, I, 1e155)),  # a Python float, whose square is an OverflowError
    (icl_risk_gradient, (I, 1e300 * I, 1e155)),
    (vector_field, (1e200 * I, I, 1.0)),
    (invariants, (I, 1e155 * I, 1.0)),
    (effective_covariance, (1e308 * I, 1)),
    (task_covariance, (1e300 * I, [1e10, 0.0])),
    (full_risk, (1e155 * I, np.eye(3), np.ones(3))),
    (full_risk_gradient, (1e155 * I, np.eye(3), np.ones(3))),
    (softmax_attention, (np.ones((3, 2)), np.ones(2), I, 1e308 * np.ones((2, 2)))),
    (linear_attention, (1e200 * np.ones((3, 2)), np.ones(2), I, I)),
    (gaussian_output, (np.ones(2), 1e155 * I, 1e155 * I, I, np.ones(2))),
]


@pytest.mark.parametrize(("function", "arguments"), BEYOND, ids=[f.__name__ for f, _ in BEYOND])
def test_an_answer_beyond_floats_is_refused(function, arguments):
    why = r"leaves the range of floats, which end at 1\.8e308; choose other units"
    with pytest.raises(ValueError, match=why):
        function(*arguments)


def test_sizes_that_cancel_are_no_error():
    assert icl_risk(1e-155 * I, 1e155 * I, 1.0) == 0
    assert icl_risk(1e155 * I, 1e-155 * I, 1.0) == 0


def test_exact_matrices_know_no_range():
    assert icl_risk(10**400 * sp.eye(1), sp.eye(1), 0) == sp.Integer(10) ** 400 / 2


@pytest.mark.parametrize(
    "found", [math.inf, math.nan, np.array([1.0, math.inf]), (1.0, np.float64(math.nan))]
)
def test_what_is_returned_must_be_finite_too(found):
    """Not every library tells NumPy that something overflowed."""
    with pytest.raises(ValueError, match="the answer leaves the range"):
        within_floats("the answer")(lambda: found)()
    assert within_floats("the answer")(lambda: (1.0, "text"))() == (1.0, "text")
