"""True parameters stand, false ones fall, by every route; and bad input."""

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from numerics import Evidence, Verdict, check_variance_proxy
from numerics.token_laws import TokenLaw, atoms, ball, gaussian, rademacher, sphere, uniform
from numerics.token_laws.search import largest_ratio
from numerics.token_laws.sub_gaussian import kearns_saul
from numerics.token_laws.variance_proxies.from_samples import lower_bound
from numerics.token_laws.variance_proxies.independent_check import second_route

Floats = NDArray[np.float64]
SKEWED = atoms([[9.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [0.0, -1.0]], [0.05, 0.45, 0.125, 0.375])
LAWS = [
    gaussian(np.diag([1.0, 4.0])),
    rademacher(1),
    uniform(3),
    sphere(2),
    sphere(7),
    ball(3),
    SKEWED,
    atoms([[0.9], [-0.1]], [0.1, 0.9]),
    sphere(3).image([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]]),
]
name_of = lambda law: f"{law.name} {law.d}"


def plain(law: TokenLaw, **changes: Any) -> TokenLaw:
    return dataclasses.replace(law, structure=None, **changes)


def witness(evidence: Evidence, d: int) -> Floats:
    return np.array([float(evidence.witness[f"v_{i + 1}"]) for i in range(d)])


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_true_parameters_stand_and_five_per_cent_less_falls(law):
    for kind in (law, plain(law)):
        true = check_variance_proxy(kind)
        assert (true.verdict, true.slack) == (Verdict.SUPPORTED, pytest.approx(1, abs=1e-5))
        assert true.control.verdict is Verdict.REFUTED
        small = check_variance_proxy(dataclasses.replace(kind, sigma=0.95 * law.sigma))
        assert (small.verdict, small.slack) == (Verdict.REFUTED, pytest.approx(0.95**2, abs=1e-5))
        assert small.witness_by == ("Arb" if kind is law and law.name == "atoms" else "two routes")
        v = witness(small, law.d)
        assert float(law.log_mgf(v)) > (0.95 * law.sigma) ** 2 * float(v @ v) / 2


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_samples_alone_refute_ten_per_cent_less_and_never_the_truth(law):
    # an accident refutes the truth with probability 1e-9 a call
    mute = plain(law, log_mgf=None)
    true = check_variance_proxy(mute, samples=100_000)
    assert (true.verdict, true.control.verdict) == (Verdict.SUPPORTED, Verdict.REFUTED)
    assert "100000 tokens" in true.covered
    small = check_variance_proxy(dataclasses.replace(mute, sigma=0.9 * law.sigma), samples=100_000)
    assert (small.verdict, small.witness_by, small.error) == (Verdict.REFUTED, "statistics", 1e-9)


def test_a_small_excess_is_seen_with_a_log_mgf_and_not_by_samples():
    assert check_variance_proxy(dataclasses.replace(uniform(2), sigma=1 - 1e-6)).verdict is Verdict.REFUTED
    law = plain(uniform(2), sigma=1 - 1e-4)
    assert check_variance_proxy(law).verdict is Verdict.REFUTED
    mute = dataclasses.replace(law, log_mgf=None)
    assert check_variance_proxy(mute, samples=20_000).verdict is Verdict.SUPPORTED


def test_a_violation_far_from_the_covariance():
    # the deviation of this law is 1e-2, its sigma 30 times that
    rare = atoms([[1 - 1e-4], [-1e-4]], [1e-4, 1 - 1e-4])
    false = dataclasses.replace(rare, sigma=0.02)
    assert check_variance_proxy(rare).verdict is Verdict.SUPPORTED
    found = check_variance_proxy(false)
    assert found.verdict is Verdict.REFUTED
    assert abs(witness(found, 1)[0]) > 5
    assert check_variance_proxy(plain(false)).verdict is Verdict.REFUTED


def test_laplace_tokens_have_no_sigma():
    sample, K = lambda rng, n: rng.laplace(size=(n, 1)), lambda a: -np.log(1 - a * a).sum(-1)
    laplace = TokenLaw("Laplace", 1, 3.0, sample, K)
    for sigma in (1.0, 1.5, 2.0):
        assert check_variance_proxy(dataclasses.replace(laplace, sigma=sigma)).verdict is Verdict.REFUTED
    # the violation is so close to the end of the domain that no circle of the second route fits
    assert not check_variance_proxy(dataclasses.replace(laplace, sigma=3.0)).verdict.accepted
    assert check_variance_proxy(plain(laplace, sigma=1.5, log_mgf=None)).verdict is Verdict.REFUTED


def test_tokens_that_are_not_centred_have_no_sigma():
    shifted = TokenLaw("shifted", 2, 1.1, lambda rng, n: rng.standard_normal((n, 2)) + np.array([0.0, 0.3]))
    assert check_variance_proxy(shifted).verdict is Verdict.REFUTED
    centred = dataclasses.replace(shifted, sample=lambda rng, n: rng.standard_normal((n, 2)))
    assert check_variance_proxy(centred).verdict is Verdict.SUPPORTED


def test_a_log_mgf_of_another_law_decides_nothing():
    for other in (uniform(2), sphere(2).image(1.05 * np.eye(2))):
        mixed = plain(ball(2).image(0.9 * np.eye(2)), log_mgf=other.log_mgf, coordinates=None, factor=None)
        found = check_variance_proxy(mixed)
        assert found.verdict is Verdict.OPEN
        assert "correct one of them" in found.reason
    shifted = plain(rademacher(1), sample=lambda rng, n: 2.0 * (rng.random((n, 1)) < 0.45) - 1)
    assert "mean" in check_variance_proxy(shifted).reason


def test_rare_tokens_are_no_reason_to_distrust_a_log_mgf():
    for p in (1e-9, 1e-6, 1e-5, 1e-4):
        law = atoms([[1 - p], [-p]], [p, 1 - p])
        for seed in range(4):
            assert check_variance_proxy(law, seed=seed).verdict is Verdict.SUPPORTED


def test_one_rare_token_among_many_is_no_reason_either():
    # of probability 1e-3: a token of mass 1e-8 in 100 000, a thousand times its share
    def lucky(rng: np.random.Generator, n: int) -> Floats:
        return np.where(np.arange(n) == 5000, 1.0, 0.0)[:, None] - 1e-8

    law = atoms([[1 - 1e-8], [-1e-8]], [1e-8, 1 - 1e-8])
    assert check_variance_proxy(dataclasses.replace(law, sample=lucky)).verdict is Verdict.SUPPORTED


def test_a_log_mgf_that_ends_where_sigma_says_it_does_not_supports_nothing():
    ends = plain(gaussian([[1.0]]), log_mgf=lambda a: (a * a / 2 + 0 * np.log(25 - a * a)).sum(-1))
    found = check_variance_proxy(ends)
    assert found.verdict is Verdict.OPEN
    assert "not finite beyond" in found.reason
    far = plain(gaussian([[1.0]]), log_mgf=lambda a: (a * a / 2 + 0 * np.log(1600 - a * a)).sum(-1))
    assert check_variance_proxy(far).verdict is Verdict.SUPPORTED


def test_sigma_zero_is_the_point_mass():
    nothing = gaussian(np.zeros((2, 2)))
    assert check_variance_proxy(nothing).verdict is Verdict.SUPPORTED
    assert check_variance_proxy(plain(nothing, log_mgf=None)).verdict is Verdict.SUPPORTED
    for law in (rademacher(2), plain(rademacher(2)), plain(rademacher(2), log_mgf=None)):
        assert check_variance_proxy(dataclasses.replace(law, sigma=0.0)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_units_do_not_matter(unit):
    for law in (SKEWED, sphere(3), plain(uniform(2))):
        scaled = law.image(unit * np.eye(law.d))
        assert check_variance_proxy(scaled).verdict is Verdict.SUPPORTED
        small = dataclasses.replace(scaled, sigma=0.95 * scaled.sigma)
        assert check_variance_proxy(small).verdict is Verdict.REFUTED
        mute = plain(scaled, log_mgf=None, sigma=0.9 * scaled.sigma)
        assert check_variance_proxy(mute, samples=100_000).verdict is Verdict.REFUTED


def test_evidence_survives_json_and_repeats_itself():
    for law in (rademacher(2), plain(rademacher(2), log_mgf=None, sigma=0.8)):
        one, two = (check_variance_proxy(law, seed=5, samples=20_000) for _ in range(2))
        assert one.replace(seconds=0) == two.replace(seconds=0)
        assert Evidence.from_json(one.to_json()) == one


@pytest.mark.parametrize("q", [0.4, 0.1, 1e-3])
def test_the_search_finds_the_optimal_proxy_in_any_direction(q):
    u = np.array([0.48, -0.6, 0.64])
    law = atoms([(1 - q) * u, -q * u], [q, 1 - q], sigma=1)
    found = largest_ratio(law.log_mgf, lambda a: law.tilted(a)[0], law.covariance)
    assert found.ratio == pytest.approx(kearns_saul(q), rel=1e-8)
    assert abs(found.v @ u) == pytest.approx(np.linalg.norm(found.v), rel=1e-6)


@pytest.mark.parametrize("law", [*LAWS[:7], sphere(1), rademacher(2)], ids=name_of)
def test_second_routes_agree_with_the_closed_form(law):
    v = np.arange(1.0, law.d + 1) / law.sigma
    value = float(law.log_mgf(v)) - 0.25 * law.sigma**2 * float(v @ v) / 2
    for kind in (law, plain(law)):
        assert second_route(kind, v, law.sigma / 2)[0] == pytest.approx(value, rel=1e-11)


def test_the_lower_bound_covers_a_rare_large_value():
    # exact: the chance that the bound for Bernoulli(p) tokens exceeds p, over the binomial law;
    # 1e-4 allowed
    from scipy.stats import binom

    n, error = 500, 1e-4
    for p in (Fraction(1, 500), Fraction(1, 20), Fraction(1, 2), Fraction(19, 20)):
        above = 0.0
        for k in range(n + 1):
            mean = k / n
            if lower_bound(mean, n / (n - 1) * mean * (1 - mean), 1.0, n, error) > p:
                above += float(binom.pmf(k, n, float(p)))
        assert above <= error


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"law": np.eye(2)}, TypeError, "judges a TokenLaw"),
        ({"law": rademacher(1), "seed": 1.5}, TypeError, "seed"),
        ({"law": rademacher(1), "seed": -1}, ValueError, "64-bit"),
        ({"law": rademacher(1), "samples": 10}, ValueError, "1000 to"),
        ({"law": rademacher(1), "samples": True}, TypeError, "samples"),
    ],
)
def test_bad_input(given, error, match):
    with pytest.raises(error, match=match):
        check_variance_proxy(**given)
