"""R6 by quadrature: its limits, and its flow against differences and known ends."""

import numpy as np
import pytest

from numerics.regression.flow.diagonal import Spectrum, finite_prompt_path
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_gap, finite_prompt_risk
from tests.numerics.regression.unit_tasks import unit
from theory.regression.risk import icl_risk
from theory.regression.task import RegressionTask


def test_gap_vanishes_with_the_length_and_keeps_its_shape():
    gap = finite_prompt_gap(0.3 * np.eye(2), 1.0, unit(np.eye(2)), np.array([[1e2, 1e4], [1e8, 1e16]]))
    assert gap.shape == (2, 2)
    assert (np.diff(np.log(gap.ravel())) < -4).all()


def test_flow_of_the_infinite_prompt_ends_at_the_known_limit():
    path = finite_prompt_path([0.3, 0.4], 0.5, Spectrum((1.0, 0.25), (1, 1)), None, noise=0.0)
    T = 1 + 16
    assert path.a[-1] == pytest.approx(np.array([1, 4]) * T**-0.25, rel=1e-6)
    assert path.u[-1] == pytest.approx(T**0.25, rel=1e-6)


def test_risk_falls_along_the_flow():
    path = finite_prompt_path([0.2], 0.2, Spectrum((4.0,), (1,)), 50.0, noise=0.0)
    assert (np.diff(path.risk) <= 1e-12).all()
    a, u = [path.a[-1]], path.u[-1]
    known = float(icl_risk([[4.0]], a, u)) + float(finite_prompt_gap(a, u, unit([[4.0]]), 50))
    assert path.risk[-1] == pytest.approx(known, rel=1e-8)


ONE, LINE = np.eye(1), Spectrum((1.0,), (1,))


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: Spectrum((1.0,), (0,)), "multiplicity"),
        (lambda: Spectrum((1.0, 2.0, 3.0), (1, 1, 1)), "positive ones"),
        (
            lambda: finite_prompt_path([1.0, 2.0], 1.0, Spectrum((1.0,), (1,)), 10.0, noise=0.0),
            "one number for each",
        ),
        (lambda: finite_prompt_gap(ONE, 1.0, unit(ONE, -1.0), 3), "noise"),
        (
            lambda: finite_prompt_risk(ONE, 1.0, RegressionTask(ONE, noise=0, task_variance=0), 3),
            "task_variance",
        ),
    ],
)
def test_bad_input(made, says):
    with pytest.raises(ValueError, match=says):
        made()


def test_diagonal_blocks_stay_diagonal():
    S, U, h = np.diag([1.0, 0.3]), np.diag([0.7, -0.4]), 1e-4
    E = np.array([[0.0, 1.0], [0.0, 0.0]])
    for e in (E, E.T):
        up, down = (float(finite_prompt_gap(U + sign * h * e, 1.2, unit(S, 0.1), 20)) for sign in (1, -1))
        assert abs(up - down) / (2 * h) < 1e-8
