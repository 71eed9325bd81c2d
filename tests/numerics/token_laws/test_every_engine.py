"""Two engines that share no code agree on every law, or refuse one they do not know."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from numerics import attention_errors, exact_errors
from numerics.attention.bound_curves import fourth_moment
from numerics.attention.sampled.rare_prompts import rare_prompts
from numerics.attention.sampled.scores_only import CONDITIONED
from numerics.attention.setting import LAWS, AttentionSetting
from numerics.token_laws import TokenLaw, atoms, checks, embedding_table
from numerics.token_laws.coordinates import coordinate
from numerics.token_laws.independent import Independent
from numerics.token_laws.radial import Radial
from numerics.token_laws.variance_proxies.independent_check import second_route

triangular = lambda rng, n: rng.triangular(-1, 0, 1, (n, 2))
of_triangular = lambda a: 2 * np.log(np.sinc(0.5j * a / np.pi)).sum(-1)
EYE, POINT = np.eye(2), np.array([1.0, 0.5])
LAW = {name: make(2) for name, make in LAWS.items()} | {
    "atoms": atoms([[1.0, 0.0], [-0.5, 1.0], [-0.5, -1.0]], np.full(3, 1 / 3)),
    "table": embedding_table([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5], [0.5, -2.0]]),
    "own": TokenLaw("triangular", 2, 6**-0.5, triangular, of_triangular),
}
U = np.array([[0.5, -0.3], [0.2, 0.4]])


@pytest.mark.parametrize("method", ["tokens", "scores"])
@pytest.mark.parametrize("name", sorted(LAW))
def test_sampled_and_exact_errors_of_every_law_agree(name, method):
    """At six standard errors, which a right answer leaves with probability 2e-9."""
    setting = AttentionSetting(LAW[name], U, [[1.0, -0.5]], POINT)
    if method == "scores" and LAW[name].coordinates not in CONDITIONED:
        with pytest.raises(ValueError, match='use method = "tokens"'):
            attention_errors(setting, lengths=[5], replicates=100, seed=1, method=method)
        return
    exact = exact_errors(setting, lengths=[5])
    sampled = attention_errors(setting, lengths=[5], replicates=20_000, seed=1, method=method)
    for quantity in ("output", "grad_V", "grad_U"):
        found = getattr(sampled, quantity)
        assert abs(found.mean[0] - getattr(exact, quantity)[0]) < 6 * found.standard_error[0], quantity


@pytest.mark.parametrize("name", sorted(LAW))
def test_two_routes_of_the_transform_and_of_moments_agree(name):
    law, v = LAW[name], np.array([0.3, -0.7])
    transform = law.log_mgf
    if name != "table":
        known = float(np.real(transform(v))) - law.sigma**2 * float(v @ v) / 2
        assert second_route(law, v, law.sigma)[0] == pytest.approx(known, abs=1e-10)
    step = 1e-5
    slope = [np.real(transform(v + step * e) - transform(v - step * e)) / (2 * step) for e in EYE]
    np.testing.assert_allclose(law.tilted(v)[0], slope, atol=1e-8)
    Z = law.sample(np.random.default_rng(0), 200_000)
    fourth = (Z**2).sum(1) ** 2
    value, exact = fourth_moment(law, EYE)
    assert not exact or abs(value - fourth.mean()) < 6 * fourth.std() / len(Z) ** 0.5 + 1e-12
    assert np.abs(Z.mean(0)).max() < 6 * Z.std() / len(Z) ** 0.5


class Triangle(Independent):
    """A law with a sampler of its own that inherits all else."""

    def sample(self, rng: np.random.Generator, n: int) -> Any:
        return rng.triangular(-(6**0.5), 0, 6**0.5, (n, 2)) @ self.factor.T


UNKNOWN = Independent("triangle", EYE, {"kind": "triangle"})
UNKNOWN_ROUND = Radial("shell", EYE, {"kind": "shell"})


@pytest.fixture
def law(monkeypatch):
    """A law that follows the pattern of the others, for whose coordinates no engine is written."""
    monkeypatch.setattr(checks, "KINDS", (*checks.KINDS, "triangle"))
    return TokenLaw.of(Triangle("triangle", EYE, {"kind": "triangle"}))


drawn = lambda law, how: attention_errors(law, U, EYE, POINT, [10], replicates=10, seed=1, method=how)
ENGINES: dict[str, Callable[[TokenLaw], Any]] = {
    "sample": lambda law: UNKNOWN.sample(np.random.default_rng(0), 3),
    "log_mgf": lambda law: law.structure.log_mgf(POINT) if law.structure else None,
    "tilted": lambda law: law.tilted(POINT),
    "covariance": lambda law: law.covariance,
    "second_route": lambda law: second_route(law, POINT, 1.0),
    "exact_errors": lambda law: exact_errors(law, U, EYE, [10], query=POINT),
    "tokens": lambda law: drawn(law, "tokens"),
    "scores": lambda law: drawn(law, "scores"),
    "fourth_moment": lambda law: fourth_moment(law, EYE),
    "rare_prompts": lambda law: rare_prompts(AttentionSetting(law, U, EYE, POINT), np.array([10.0]), 100),
    "coordinate": lambda law: coordinate("triangle"),
    "a sphere's sample": lambda law: UNKNOWN_ROUND.sample(np.random.default_rng(0), 3),
    "a sphere's transform": lambda law: UNKNOWN_ROUND.log_mgf(POINT),
    "a sphere's tilted law": lambda law: UNKNOWN_ROUND.tilted(POINT),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_law_that_an_engine_does_not_know_is_refused(engine, law):
    with pytest.raises(ValueError, match=r"kind '(triangle|shell)'|only; use method"):
        ENGINES[engine](law)
