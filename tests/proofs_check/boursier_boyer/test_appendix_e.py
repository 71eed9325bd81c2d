"""The instances that refute Appendix E, by enumeration and closed forms; planted errors."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.regression.softmax_vs_linear.few_atoms import gaps, tasks_on_atoms
from proofs_check.boursier_boyer.dynamics import corollaries_e3_and_e5 as corollaries
from proofs_check.boursier_boyer.dynamics import lemma_e1, lemma_e2_statement, lemma_e4_statement
from proofs_check.boursier_boyer.dynamics import lemma_e2_steps as e2
from proofs_check.boursier_boyer.dynamics import lemma_e4_steps as e4
from proofs_check.boursier_boyer.dynamics.lemma_e2_statement import SlopeTask
from theory.bounds.query_average_constants import paper_constants_V


@pytest.mark.parametrize("L", [2, 3, 4])
def test_small_targets_leave_the_risks_apart_as_enumeration_says(L):
    y, u, v = Fraction(1, 7), Fraction(1, 2), Fraction(3, 2)
    found = gaps(tasks_on_atoms([1.0, -1.0], [0.5, 0.5], [0.0]), np.diag([float(u), 0.0]), [float(v), 0.0], L)
    sigma2 = 1 + y**2
    ratio = float(lemma_e2_statement.risk_over_the_bound(L, sp.Rational(y), u, v, sp.Rational(sigma2)))
    rate = float(sigma2) ** 1.5 * np.log(L) ** 0.5
    right = 2 * float(y) * rate * (rate + np.sqrt(found.T2))  # |T| is the same at both queries
    assert ratio == pytest.approx(abs(found.risk_L - found.risk) / right, rel=1e-12)


def test_the_bound_of_lemma_e2_fails_by_more_and_more_as_the_targets_shrink():
    def ratio(n):
        member = lemma_e2_statement.along_small_targets(n, 2, Fraction(1), Fraction(1, 2), Fraction(1))
        return float(lemma_e2_statement.risk_over_the_bound(**member))

    assert ratio(1000) == pytest.approx(10 * ratio(100), rel=1e-3)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_moments_of_slope_tasks_are_those_of_gaussian_tokens(d):
    task = SlopeTask(w=3.0, s=0.5, d=d, u=1.5, v=0.75)
    tokens = np.vstack([np.eye(d), 3.0 * np.eye(d)[0]])
    Gamma = 0.5 * tokens @ tokens.T
    U, V = np.zeros((2, d + 1, d + 1))
    U[d, 0], V[d, d] = 1.5, 0.75
    scale = np.sqrt(d) * 1.5 * 0.75
    assert np.linalg.norm(Gamma, 2) == pytest.approx(task.sigma2)
    fourth = lemma_e2_statement._fourth(U, V, [Gamma], d) * scale * task.sigma2
    assert fourth**4 == pytest.approx(task.T4)
    second = lemma_e4_statement._output_moment(U, V, [Gamma], d) * scale * task.sigma2
    assert second**2 == pytest.approx(task.T2)
    gradient = lemma_e4_statement._gradient_moment(U, V, [Gamma], d) * np.sqrt(d) * (1.5 + 0.75) * task.sigma2
    assert gradient**2 == pytest.approx(task.J2)


@pytest.mark.parametrize(
    "claim",
    [
        lemma_e2_statement.distance_of_the_risks,
        lemma_e2_statement.fourth_moment_of_the_output,
        lemma_e4_statement.second_moment_of_the_output,
        lemma_e4_statement.second_moment_of_the_gradient,
    ],
    ids=["E.2", "E.2 Gaussian", "E.4 Gaussian", "E.4 gradient"],
)
def test_what_is_called_false_fails_on_an_open_set(claim):
    assert claim.false == "false"
    assert claim.robust.faults() == []


def test_the_bounds_with_the_repaired_power_of_sigma_have_no_robust_witness():
    over = lambda task: task.T4 - 16 * task.D**2 * (task.u * task.v) ** 4 * task.sigma2**4
    repaired = lemma_e2_statement.robust_slope(over)
    assert "fails no longer" in repaired.faults()[0]


def test_with_open_balls_only_the_exit_itself_is_outside():
    printed = lemma_e1.the_exit_from_the_ball()
    assert printed.witness["t"] == printed.witness["tau"]
    path, away = printed.parts
    assert (path.verdict, away.verdict) == (Verdict.REFUTED, Verdict.PROVED)  # f(tau) > rho is right


@pytest.mark.parametrize(
    "claim", [lemma_e1.the_constant_in_23, e4.root_of_the_mean, e4.root_of_the_middle_term]
)
def test_a_repair_is_a_computation(claim):
    held = claim(**claim.repair)
    assert held.verdict.accepted
    assert not any(part.vacuous for part in (held, *held.parts))


def test_a_constant_that_grows_where_it_should_fall_is_noticed(monkeypatch):
    right = paper_constants_V
    grows = lambda u, v, d: (right(u, v, d)[0], 1 / right(u, v, d)[1])
    monkeypatch.setattr(corollaries, "paper_constants_V", grows)
    assert corollaries.constants_depend_on_the_norms(constant="R1").verdict is Verdict.REFUTED


def test_the_maximum_over_a_segment_is_attained_at_its_ends():
    found = e2.smooth_loss_on_a_segment()
    assert found.verdict is Verdict.PROVED
    assert e2.squared_loss_on_a_segment(square=Fraction(3, 2)).verdict is Verdict.REFUTED


def test_at_one_token_the_bound_on_g2_fails_and_its_repair_holds():
    """The display of Corollary E.5 is 0 there, and the finite-prompt slope is not."""
    claim = corollaries.the_displayed_bound_at_one_token
    found = gaps(tasks_on_atoms([1.0, -1.0], [0.5, 0.5], [0.0]), np.zeros((2, 2)), [1.0, 0.0], 1)
    left = float(np.sum((found.gradient_L - found.gradient) ** 2))
    assert float(claim().witness["left^2"]) == pytest.approx(left)
    assert (claim().verdict, claim(bound="mean squares").verdict) == (Verdict.REFUTED, Verdict.PROVED)
    assert (claim.at, claim.follows) == ("L = 1", "BB:LE.4/one")
