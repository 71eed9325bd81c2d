"""Whether the flow ends where a formula says: right, near misses, and giving up aloud."""

import numpy as np
import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.regression.flow.polyak_lojasiewicz import balanced_starts, steeper_than
from numerics.regression.flow.starts import Start, any_starts, ends_at, keeps, positive_starts, theta_starts
from numerics.seeds import seeded
from theory.regression.limit import limit_parameters
from theory.regression.polyak_lojasiewicz import polyak_lojasiewicz, polyak_lojasiewicz_f3, scalar_floor


def formula(s: Start) -> tuple[np.ndarray, float]:
    p = limit_parameters(s.Sigma, U0=s.U0, u0=s.u0)
    return p.U[:-1, :-1], float(p.V[-1, -1])


def test_right_limit_is_supported_and_its_control_refuted():
    found = ends_at(formula, theta_starts(singular=True)[::4])
    assert found.verdict is Verdict.SUPPORTED
    assert found.control.verdict is Verdict.REFUTED


@pytest.mark.parametrize("wrong", ["pseudo-inverse only", "other sign", "another exponent"])
def test_near_misses_are_refuted_by_two_integrations(wrong):
    def missed(s: Start) -> tuple[np.ndarray, float]:
        U, u = formula(s)
        if wrong == "pseudo-inverse only":
            return np.linalg.pinv(s.Sigma, hermitian=True, rcond=1e-10) / u, u
        return (-U, -u) if wrong == "other sign" else (U * 1.0001, u / 1.0001)

    starts = [s for s in positive_starts() if "outside the range" in s.name][:2]
    found = ends_at(missed, starts)
    assert found.verdict is Verdict.REFUTED
    assert found.witness_by == "two routes"
    assert "Sigma" in found.witness


def test_a_start_that_does_not_arrive_leaves_the_question_open():
    saddle = Start("saddle", np.eye(1), np.zeros((1, 1)), 0.0)
    found = ends_at(lambda s: (s.U0, s.u0), [saddle])
    assert found.verdict is Verdict.OPEN
    assert "did not arrive" in found.reason


def test_starts_are_what_they_are_called_and_follow_the_seed():
    for s in theta_starts(singular=True):
        assert np.linalg.norm(s.U0) == pytest.approx(s.u0)
        assert np.linalg.eigvalsh(s.U0)[0] > -1e-12
        assert np.linalg.eigvalsh(s.Sigma)[0] > -1e-12
    for s in positive_starts():
        values, Q = np.linalg.eigh(s.Sigma)
        moving = np.diag(Q.T @ s.U0 @ Q)[values > 1e-12]
        assert s.u0 > 0 or moving.min() > 0
    assert any((np.linalg.eigvalsh((s.U0 + s.U0.T) / 2) < 0).all() for s in any_starts())
    with seeded("one"):
        one, again = any_starts()[0], any_starts()[0]
    with seeded("two"):
        two = any_starts()[0]
    assert (one.U0 == again.U0).all()
    assert not (one.U0 == two.U0).all()


def test_drift_is_seen():
    assert keeps(any_starts()[:3]).verdict is Verdict.SUPPORTED


# Slopes


def test_printed_constant_is_refuted_at_the_shortest_numbers_and_ours_is_not():
    starts = balanced_starts()
    printed = steeper_than(polyak_lojasiewicz_f3, starts)
    assert printed.verdict is Verdict.REFUTED
    assert (printed.witness["d"], printed.witness["Lambda"], printed.witness["sigma"]) == (1, "1/5", "1")
    # by hand at d = 1, Lambda = 1/5, U = u = sigma = 1: R = (1/5)(4/5)^2/2, gradient (4/5)/25 in
    # both directions
    ratio = 2 * sp.Rational(4, 125) ** 2 / (sp.Rational(1, 5) * sp.Rational(4, 5) ** 2 / 2)
    assert printed.witness["squared gradient over risk"] == str(ratio)
    assert steeper_than(polyak_lojasiewicz, starts[:12]).verdict is Verdict.SUPPORTED


def test_a_constant_that_only_the_path_contradicts_stays_open():
    """S = 1, s = 5/4: from 4 S^3 s^2 to 4 S^2 the path falls below what the start allows."""
    one, s = sp.eye(1), sp.Rational(5, 4)
    steep = [start for start in balanced_starts() if (start.Sigma, start.s) == (one, s)]
    found = steeper_than(lambda *_: sp.Integer(5), steep)
    assert found.verdict is Verdict.OPEN
    assert "path" in found.reason


def test_the_floor_of_the_scalar_holds_on_integrated_paths():
    from numerics.regression.flow.infinite_prompt import integrate_flow

    for start in balanced_starts()[3:20]:
        S = np.array(start.Sigma, dtype=float)
        U0 = float(start.s) * np.array(start.Theta @ start.Theta.T, dtype=float)
        flow = integrate_flow(S, U0, float(start.s))
        assert flow.converged
        expected = float(scalar_floor(sp.Matrix(start.Sigma), sp.Matrix(start.Theta), start.s)) - 1e-9
        assert flow.u.min() ** 2 >= expected


def test_starts_meet_the_hypotheses():
    for start in balanced_starts():
        B = start.Theta @ start.Theta.T
        assert (B.T @ B).trace() == 1
        assert start.s**2 * sp.sqrt(start.Sigma.shape[0]) * max(start.Sigma.eigenvals()) < 2
