"""Second routes of the claims on attention notice wrong formulas; what is open refutes nothing."""

import numpy as np
import pytest

from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.evidence import Contradiction, Evidence, Verdict
from proofs_check.boursier_boyer.concentration import appendix_b
from proofs_check.boursier_boyer.main_text import lemma_2_1, section_2, section_3, section_4
from proofs_check.ours.gaussian import direct_integration, theorem_a


@pytest.mark.parametrize("factor", [1.001, 0.999])
@pytest.mark.parametrize("name", ["gaussian_bias", "covariance_of_mean_token", "softmax_covariance_bias"])
def test_integration_notices_a_wrong_formula(name, factor, monkeypatch):
    right = getattr(direct_integration.closed, name)
    monkeypatch.setattr(direct_integration.closed, name, lambda *a: factor * right(*a))
    with pytest.raises(Contradiction, match="R4 and the integral"):
        direct_integration.by_integration()


@pytest.mark.parametrize("name", ["gaussian_bias", "gaussian_second_moment", "softmax_covariance_bias"])
def test_simulation_notices_a_formula_that_is_a_third_too_large(name, monkeypatch):
    right = getattr(direct_integration.closed, name)
    monkeypatch.setattr(direct_integration.closed, name, lambda *a: 4 / 3 * right(*a))
    with pytest.raises(Contradiction, match="standard errors"):
        direct_integration.by_simulation()


def test_integration_over_scores_has_the_moments_of_gaussians():
    g, p, mass = direct_integration.over_scores(2.0, 2)
    assert mass.sum() == pytest.approx(1, rel=1e-13)
    assert mass @ (g[0] ** 2 * g[1] ** 4) == pytest.approx(3, rel=1e-12)
    np.testing.assert_allclose(p.sum(axis=0), 1, rtol=1e-14)


def test_cubature_notices_a_wrong_output(monkeypatch):
    right = lemma_2_1.gaussian_output
    monkeypatch.setattr(lemma_2_1, "gaussian_output", lambda m, Gamma, U, V, z: right(m, Gamma, U.T, V, z))
    with pytest.raises(Contradiction, match=r"Lemma 2\.1"):
        lemma_2_1.lemma_by_cubature()


def test_pareto_laws_notice_a_rate_that_is_too_small(monkeypatch):
    right = section_4.mean_of_rate
    monkeypatch.setattr(section_4, "mean_of_rate", lambda *a: 0.99 * right(*a))
    with pytest.raises(Contradiction, match="proved for its integrand"):
        section_4.second_half_of_ii_follows_from_the_first()


@pytest.mark.parametrize("claim", [section_3.gradient_in_the_keys, section_3.gradient_in_the_queries])
def test_finite_differences_notice_a_wrong_gradient(claim, monkeypatch):
    for name in ("grad_K", "grad_Q"):
        right = getattr(section_3, name)
        monkeypatch.setattr(section_3, name, lambda *a, right=right: right(*a)[:, ::-1])
    with pytest.raises(Contradiction, match="finite differences"):
        claim()


def test_the_grid_of_theorem_A_notices_a_bound_that_is_too_small():
    small = lambda x, m: 0.999 * np.exp(x) / (np.exp(x) + theorem_a.LENGTHS - 1)
    found = theorem_a.on_the_grid(lambda x, m: m.P2, small, "P2")
    assert found.verdict.value == "OPEN"
    assert "fails numerically" in found.reason


def test_a_factor_of_unknown_sign_proves_nothing():
    with pytest.raises(ValueError, match="may be negative"):
        theorem_a.nonnegative(theorem_a.P2, (-1, theorem_a.P2))


def test_theorem_A_is_a_bound_for_other_dimensions_too():
    """t and q move independently: q = 0 and q large."""
    for s in (0.3, 3.0, 30.0):
        m = softmax_moments(s, theorem_a.LENGTHS)
        for t, q in ((1.0, 0.0), (0.0, 1.0), (2.0, 1e4)):
            error = theorem_a.closed.gaussian_second_moment(m.P2, m.P3, m.Q, t, q)
            assert (error <= theorem_a.theorem_A(s, theorem_a.LENGTHS, t, q) * (1 + 1e-11)).all()


@pytest.mark.parametrize(
    "claim", [appendix_b.limit_of_linear_attention, section_2.layer_is_defined], ids=["B.2", "2"]
)
def test_a_series_that_is_not_proved_to_diverge_refutes_nothing(claim, monkeypatch):
    undecided = Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason="the effort was spent")
    for module in (appendix_b, section_2):
        monkeypatch.setattr(module, "forall", lambda *statement: undecided)
    assert claim() == undecided
