"""The curves that theory offers: second routes, limits, and the hypotheses under which each one speaks."""

from __future__ import annotations

import numpy as np
import pytest

from numerics.curves import Quantity, bounds, exact_error, far_slopes, next_order, sharp_exponent, theorem_B_constant
from numerics.setting import EXAMPLES, AttentionSetting

LENGTHS = np.array([1.0, 2.0, 10.0, 1e3, 1e6])
FIXED = [build() for build in EXAMPLES.values() if not build().averaged]


def averaged(lam: float, d: int = 1) -> AttentionSetting:
    return AttentionSetting(np.eye(d), np.sqrt(lam) * np.eye(d), np.eye(d), np.eye(d))


@pytest.mark.parametrize("setting", FIXED, ids=lambda s: s.name)
def test_one_token_against_the_definition(setting: AttentionSetting) -> None:
    """L = 1: T_1 = V z_1 and T = V h, so that everything is a second moment of a Gaussian vector."""
    h = setting.Gamma @ setting.U @ setting.query
    centred = setting.Gamma + np.outer(h, h)
    assert exact_error(setting, "output", [1]) == pytest.approx(np.trace(setting.V @ centred @ setting.V.T))
    assert exact_error(setting, "grad_V", [1]) == pytest.approx(setting.V.shape[0] * np.trace(centred))
    limit = setting.V @ setting.Gamma
    assert exact_error(setting, "grad_U", [1]) == pytest.approx(np.sum(limit**2) * setting.query @ setting.query)


def test_average_over_queries_is_the_average_of_the_fixed_queries() -> None:
    """Four hundred queries, each with its own exact curve, against one integral over the quadratic form."""
    rng = np.random.default_rng(11)
    B = rng.standard_normal((3, 3))
    setting = AttentionSetting(np.diag([1.0, 0.5, 0.0]), 0.35 * B, rng.standard_normal((2, 3)), np.diag([1.0, 0.3, 0.1]))
    queries = rng.standard_normal((400, 3)) * np.sqrt([1.0, 0.3, 0.1])
    for quantity in ("output", "grad_V"):
        draws = np.array(
            [exact_error(AttentionSetting(setting.Gamma, setting.U, setting.V, z), quantity, [3, 300]) for z in queries]
        )
        error = draws.std(axis=0) / np.sqrt(len(draws))
        # 5 standard errors: error probability 6e-7 for each of four comparisons.
        assert np.all(np.abs(draws.mean(axis=0) - exact_error(setting, quantity, [3, 300])) < 5 * error)


@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES.keys())
@pytest.mark.parametrize("quantity", ["output", "grad_V"])
def test_upper_bounds_are_above_and_theorem_A_is_sharp(build, quantity) -> None:  # type: ignore[no-untyped-def]
    setting = build()
    exact = exact_error(setting, quantity, LENGTHS)
    for bound in bounds(setting, quantity, LENGTHS, float(exact[0])):
        if bound.kind == "upper bound":
            speaks = np.isfinite(bound.values)
            assert np.all(exact[speaks] <= bound.values[speaks] * (1 + 1e-10)), bound.name
    theorem = bounds(setting, quantity, LENGTHS, 1.0)[0]
    assert theorem.values[0] == pytest.approx(exact[0])  # equality for one token
    if not setting.averaged:
        assert theorem.values[-1] == pytest.approx(exact[-1], rel=1e-3)


def test_which_bounds_speak() -> None:
    def names(setting: AttentionSetting, quantity: Quantity = "output") -> list[str]:
        return [b.name for b in bounds(setting, quantity, LENGTHS, 1.0)]

    assert names(FIXED[0]) == ["Theorem A", "Lemma C.4"]
    assert names(FIXED[0], "grad_U") == []
    assert names(averaged(0.2)) == ["Theorem A", "Theorem B", "eq. (16), exponent only"]
    assert names(averaged(0.7)) == ["Theorem A", "eq. (16), exponent only"]
    # (16) is about 1-sub-Gaussian queries; a covariance above the identity is outside.
    assert names(AttentionSetting(np.eye(1), 0.1 * np.eye(1), np.eye(1), 2 * np.eye(1))) == ["Theorem A", "Theorem B"]
    lemma = bounds(FIXED[0], "output", LENGTHS, 1.0)[1]
    assert np.isnan(lemma.values[0])  # false at L = 1 as printed
    assert np.all(np.isfinite(lemma.values[1:]))
    line = bounds(averaged(0.2), "output", LENGTHS, 7.0)[2]
    assert line.values[0] == 7.0
    assert line.values[-1] == pytest.approx(7.0 * 1e6 ** -min(1 / 3, 1 / (192 * 0.2)))


def test_lemma_c4_beyond_floats_is_silent() -> None:
    steep = AttentionSetting(np.eye(1), 30 * np.eye(1), np.eye(1), np.ones(1))
    assert not np.isfinite(bounds(steep, "output", LENGTHS, 1.0)[1].values).any()


@pytest.mark.parametrize("d", [1, 3])
def test_theorem_B_constant_is_the_limit(d: int) -> None:
    setting = AttentionSetting(np.eye(d), np.diag(np.linspace(0.3, 0.1, d)), np.diag(1.0 + np.arange(d)), np.eye(d))
    for quantity in ("output", "grad_V"):
        C1 = theorem_B_constant(setting, quantity)
        assert 1e10 * exact_error(setting, quantity, [1e10])[0] == pytest.approx(C1, rel=1e-6)
    assert theorem_B_constant(averaged(0.5), "output") is None
    assert theorem_B_constant(FIXED[0], "output") is None


def test_exponents() -> None:
    assert sharp_exponent(FIXED[0]) == sharp_exponent(averaged(0.4)) == sharp_exponent(averaged(0.0)) == 1
    assert sharp_exponent(averaged(0.5)) == pytest.approx(1)
    b = sharp_exponent(averaged(2.0))
    assert b**2 + b == pytest.approx(1 / 2)  # the defining equation
    assert next_order(FIXED[0]) == next_order(averaged(1 / 6)) == pytest.approx(1)
    assert 0 < next_order(averaged(0.3)) < 1
    assert next_order(averaged(0.5)) is None


@pytest.mark.parametrize("setting", [*FIXED, averaged(0.5, 2), averaged(1.0), averaged(4.0, 5)])
def test_the_sharp_exponent_shows_far_out(setting: AttentionSetting) -> None:
    far = far_slopes(setting)
    assert far.reaches
    assert abs(far.slope[-1] - far.sharp) <= far.allowed
    # The control: an exponent of one twentieth more is told apart.
    assert abs(far.slope[-1] - 1.05 * far.sharp) > far.allowed or far.sharp > -0.6


def test_slow_exponents_are_invisible_at_feasible_lengths() -> None:
    """For lambda >= 1 the slope at L = 1e6 is far from the exponent: what the report warns of."""
    setting = averaged(1.44)
    far = far_slopes(setting)
    at_million = float(far.slope[np.argmin(np.abs(far.lengths - 1e6))])
    assert abs(at_million - far.sharp) > 4 * abs(float(far.slope[-1]) - far.sharp)


def test_what_no_float_can_reach_is_said() -> None:
    assert not far_slopes(averaged(9.0)).reaches
    assert exact_error(AttentionSetting(np.eye(1), 10 * np.eye(1), np.eye(1), np.ones(1)), "grad_U", [10]) is None
    assert exact_error(averaged(0.1), "grad_U", [10]) is None
