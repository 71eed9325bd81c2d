"""Settings: what they compute from the matrices, and what they refuse."""

import warnings
from typing import Any

import numpy as np
import pytest

from numerics import attention_errors, exact_errors
from numerics.attention.examples import EXAMPLES
from numerics.attention.requirements import check_reportable
from numerics.attention.setting import LAWS, AttentionSetting
from numerics.token_laws import gaussian, rademacher
from theory.inputs.spectrum import RankWarning

VALUES: dict[str, Any] = {"U": np.eye(2), "V": np.eye(2), "query": np.ones(2)}
GOOD: dict[str, Any] = {"Gamma": np.eye(2), **VALUES}


def random_setting(seed: int, *, averaged: bool) -> AttentionSetting:
    rng = np.random.default_rng(seed)
    B, S = rng.standard_normal((3, 2)), rng.standard_normal((3, 3))
    query = {"query_cov": S @ S.T} if averaged else {"query": rng.standard_normal(3)}
    return AttentionSetting(B @ B.T, rng.standard_normal((3, 3)), rng.standard_normal((2, 3)), **query)


def test_score_variance_is_that_of_the_scores():
    """s is the variance of z_k'Uz, lambda its largest on the ellipsoid of the queries."""
    fixed = random_setting(1, averaged=False)
    a = fixed.U @ fixed.query
    assert fixed.score_variance == pytest.approx(a @ fixed.Gamma @ a)
    averaged = random_setting(2, averaged=True)
    root = np.linalg.cholesky(averaged.query_cov)
    x = np.random.default_rng(3).standard_normal((3, 2000))
    a = averaged.U @ root @ (x / np.linalg.norm(x, axis=0))
    scores = np.einsum("in,ij,jn->n", a, averaged.Gamma, a)
    assert scores.max() <= averaged.score_variance * (1 + 1e-12)
    assert scores.max() == pytest.approx(averaged.score_variance, rel=0.01)


def test_query_law_has_the_right_means():
    setting = random_setting(4, averaged=True)
    W = setting.V.T @ setting.V
    law = setting.query_law(W, 0.0)
    H = setting.Gamma @ setting.U
    assert law.density.sum() == pytest.approx(1)
    expected = np.trace(setting.U.T @ setting.Gamma @ setting.U @ setting.query_cov)
    assert law.density @ law.nodes == pytest.approx(expected)
    assert law.moment.sum() == pytest.approx(np.trace(H.T @ W @ H @ setting.query_cov))


def test_a_query_that_never_varies_is_one_atom():
    law = AttentionSetting(**GOOD | {"query": None, "query_cov": np.zeros((2, 2))}).query_law(np.eye(2), 0.0)
    assert (law.nodes.tolist(), law.density.tolist(), law.moment.tolist()) == ([0.0], [1.0], [0.0])


def test_roundoff_is_tolerated_and_removed():
    Gamma = np.array([[1.0, 1.0 + 1e-13], [1.0, 1.0]])
    setting = AttentionSetting(**GOOD | {"Gamma": Gamma})
    assert np.array_equal(setting.Gamma, setting.Gamma.T)
    assert setting.token_factor.shape == (2, 1)
    assert np.allclose(setting.token_factor @ setting.token_factor.T, Gamma, rtol=1e-12)
    assert not setting.Gamma.flags.writeable


def test_examples_are_what_their_names_say():
    made = {name: build() for name, build in EXAMPLES.items()}
    assert all(setting.name == name for name, setting in made.items())
    assert np.array_equal(made["isotropic"].Gamma, np.eye(3))
    assert np.linalg.matrix_rank(made["singular"].Gamma) < made["singular"].d
    assert len(set(np.linalg.eigvalsh(made["anisotropic"].Gamma))) > 1
    assert made["averaged"].averaged
    assert made["averaged"].score_variance < 1 / 6
    assert made["averaged-slow"].score_variance >= 1


def test_a_law_in_place_of_a_covariance():
    signs = AttentionSetting(**GOOD | {"Gamma": rademacher(2).image([[2.0, 0.0], [1.0, 1.0]])})
    assert not signs.gaussian
    assert np.allclose(signs.Gamma, [[4.0, 2.0], [2.0, 2.0]])
    assert signs.score_variance == pytest.approx(10.0)  # (1, 1) Gamma (1, 1)'
    # signs are as narrow as their covariance allows
    assert signs.sigma2 == pytest.approx(np.linalg.eigvalsh(signs.Gamma)[-1])
    normal = AttentionSetting(**GOOD | {"Gamma": gaussian(np.diag([3.0, 1.0]))})
    same = AttentionSetting(**GOOD | {"Gamma": np.diag([3.0, 1.0])})
    assert normal.gaussian
    assert same.gaussian
    assert np.allclose(normal.Gamma, same.Gamma)
    assert normal.sigma2 == pytest.approx(same.sigma2)
    assert np.allclose(same.law.covariance, same.Gamma)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_other_laws_keep_the_covariance(example, law):
    setting = EXAMPLES[example]()
    other = setting.with_law(law)
    assert np.allclose(other.Gamma, setting.Gamma)
    assert other.gaussian == (law == "gaussian")
    assert other.score_variance == pytest.approx(setting.score_variance)
    assert other.sigma2 >= np.linalg.eigvalsh(other.Gamma)[-1] - 1e-9  # no sub-Gaussian constant is smaller
    assert other.name == f"{example}, {law}"


def test_an_unknown_law_is_refused():
    with pytest.raises(ValueError, match="choose one of gaussian"):
        EXAMPLES["isotropic"]().with_law("cauchy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Gamma": [[1.0, 2.0], [2.0, 1.0]]}, "eigenvalue -1; a covariance is positive semidefinite"),
        ({"Gamma": [[1.0, 0.5], [0.0, 1.0]]}, r"Gamma\[0, 1\] = 0.5 but Gamma\[1, 0\] = 0.0"),
        ({"Gamma": np.ones((2, 3))}, "square"),
        ({"Gamma": [[1.0, np.nan], [np.nan, 1.0]]}, "entry nan"),
        ({"Gamma": np.zeros((0, 0))}, "square matrix"),
        ({"Gamma": [1.0, 2.0]}, "square matrix"),
        ({"Gamma": 3.0}, "square matrix"),
        ({"U": np.eye(3)}, r"U has shape \(3, 3\)"),
        ({"U": [[np.inf, 0], [0, 1]]}, "entry inf"),
        ({"V": np.eye(3)}, "d = 2 is needed, as Gamma has it"),
        ({"V": [1.0, 2.0]}, r"V\[None, :\]"),
        ({"query": np.ones(3)}, r"query has shape \(3,\)"),
        ({"query": np.eye(2)}, r"query has shape \(2, 2\)"),
        ({"query": [np.nan, 1.0]}, "finite"),
        ({"query": None}, "neither of query and query_cov"),
        ({"query_cov": np.eye(3)}, r"query_cov has shape \(3, 3\)"),
        ({"query_cov": -np.eye(2)}, "query_cov has the eigenvalue -1"),
        ({"U": None}, "U is missing"),
        ({"K": np.eye(2)}, "need both"),
        ({"K": np.eye(2), "Q": 2 * np.eye(2)}, "U is not K'Q"),
        ({"K": np.eye(2), "Q": np.ones((3, 2))}, "Q has shape"),
    ],
)
def test_bad_values_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        AttentionSetting(**GOOD | change)


@pytest.mark.parametrize("change", [{"Gamma": "identity"}, {"U": 1j * np.eye(2)}, {"V": [[1.0], [1.0, 2.0]]}])
def test_what_is_no_array_of_reals_is_refused(change):
    with pytest.raises(TypeError, match="array of real numbers"):
        AttentionSetting(**GOOD | change)


def test_scores_that_only_lost_directions_of_the_queries_have_are_said():
    near, one = 1 - 2.0**-53, np.eye(2)
    S, U = [[1.0, near], [near, 1.0]], 2.0**26 * np.array([[1.0, -1.0], [0.0, 0.0]])
    says = "the scores of tokens cannot be told from rounding errors of query_cov"
    with pytest.warns(RankWarning, match=says):
        _ = AttentionSetting(one, U, one, query_cov=S).query_factor
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = AttentionSetting(one, U / 2.0**40, one, query_cov=S).query_factor


def test_keys_and_queries_make_U():
    K, Q = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    known = [[3.0, -1.0], [6.0, -2.0]]
    assert np.array_equal(AttentionSetting(**GOOD | {"U": None, "K": K, "Q": Q}).U, known)


def test_every_engine_takes_a_setting_in_place_of_its_values():
    setting = AttentionSetting(**GOOD)
    exact = exact_errors(**GOOD, lengths=[3, 9]).grad_U
    assert np.array_equal(exact_errors(setting, lengths=[3, 9]).grad_U, exact)
    runs = (
        attention_errors(x, **rest, lengths=5, replicates=50, seed=1)
        for x, rest in ((setting, {}), (GOOD["Gamma"], VALUES))
    )
    one, other = (run.output.mean for run in runs)
    assert np.array_equal(one, other)
    with pytest.raises(TypeError, match="V, query given beside a setting"):
        exact_errors(setting, V=np.eye(2), query=[1.0, 0.0], lengths=5)
    with pytest.raises(TypeError, match="V is missing"):
        attention_errors(np.eye(2), lengths=5)


def test_gaussian_queries_with_a_mean_are_for_sampling_only():
    """One token: E|z_1 - h|^2 = tr Gamma + E|h|^2, and h = z has the second moment |m|^2 + tr S."""
    setting = AttentionSetting(**GOOD | {"query_cov": np.eye(2) / 4})
    found = attention_errors(setting, lengths=1, replicates=20_000, seed=3).output
    assert abs(found.mean[0] - 4.5) < 5.2 * found.standard_error[0]
    with pytest.raises(ValueError, match="both of query and query_cov"):
        exact_errors(setting, lengths=5)
    with pytest.raises(ValueError, match="both a mean and a covariance"):
        check_reportable(setting)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"V": np.array([[0.0, 1.0]]), "Gamma": np.diag([1.0, 0.0])}, "V Gamma = 0"),
        ({"V": 1e20 * np.eye(2)}, "V has entries .* choose other units"),
        ({"query": [1e-40, 0.0]}, "query has entries .* choose other units"),
    ],
)
def test_what_no_report_can_show_is_refused_there_alone(change, message):
    setting = AttentionSetting(**GOOD | change)
    with pytest.raises(ValueError, match=message):
        check_reportable(setting)
