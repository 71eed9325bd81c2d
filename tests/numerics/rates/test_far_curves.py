"""Exact curves far out: limits, powers of logarithms, and the settings in which there are none."""

from functools import cache

import numpy as np
import pytest

from numerics.attention.bound_curves import bounds
from numerics.attention.curve import exact_error
from numerics.attention.examples import EXAMPLES
from numerics.attention.exponents import theorem_B_constant
from numerics.attention.setting import LAWS, QUANTITIES, AttentionSetting
from numerics.rates.far_curves import far_slopes
from numerics.token_laws import atoms, rademacher, uniform
from tests.numerics.rates.settings import averaged

FIXED = [build() for build in EXAMPLES.values() if not build().averaged]
#: Averages over queries take seconds far out: each setting is one object, of which slopes are kept.
over_queries, slopes_of = cache(averaged), cache(far_slopes)


@pytest.mark.parametrize("d", [1, 3])
def test_theorem_B_constant_is_the_limit(d):
    U, V = np.diag(np.linspace(0.3, 0.1, d)), np.diag(1.0 + np.arange(d))
    setting = AttentionSetting(np.eye(d), U, V, query_cov=np.eye(d))
    for quantity in ("output", "grad_V"):
        C1, exact = theorem_B_constant(setting, quantity), exact_error(setting, quantity, [1e10])
        assert 1e10 * exact[0] == pytest.approx(C1, rel=1e-6)
    assert theorem_B_constant(averaged(0.5), "output") is None
    assert theorem_B_constant(FIXED[0], "output") is None


@pytest.mark.parametrize("V", [np.zeros((1, 2)), [[0.0, 1.0]], 1e-200 * np.eye(2)])
def test_an_error_of_zero_has_no_slope(V):
    assert far_slopes(AttentionSetting(np.diag([1.0, 0.0]), np.eye(2), V, [1.0, 1.0])) is None


@pytest.mark.parametrize("exponent", [8, 15, 30])
def test_a_direction_of_small_variance_has_the_slope_of_its_own(exponent):
    alone = far_slopes(AttentionSetting(np.eye(1), np.eye(1), np.eye(1), [1.0]))
    second, Gamma = np.diag([0.0, 1.0]), np.diag([10.0**exponent, 1.0])
    far = far_slopes(AttentionSetting(Gamma, second, [[0.0, 1.0]], [0.0, 1.0]))
    np.testing.assert_allclose(far.slope, alone.slope, rtol=1e-8)


@pytest.mark.parametrize("setting", [*FIXED, over_queries(0.5, 1), over_queries(4.0, 5)])
def test_the_sharp_exponent_shows_far_out(setting):
    far = slopes_of(setting)
    assert far.reaches
    assert set(far.slopes) == set(QUANTITIES)
    for quantity, slope in far.slopes.items():
        assert abs(slope[-1] - far.sharp) <= far.margins[quantity], quantity
    # The control: an exponent of one twentieth more is told apart.
    assert abs(far.slope[-1] - 1.05 * far.sharp) > far.margins["output"] or far.sharp > -0.6


@pytest.mark.parametrize(("lam", "d"), [(0.5, 1), (1.44, 3)])
def test_powers_of_the_logarithm_far_out(lam, d):
    """The slope differs from -b by k / ln L: k = d/2, 1 more at 1/2, 2 more for grad_U."""
    far = slopes_of(over_queries(lam, d))
    middle = np.log(far.lengths[-1]) - np.log(10) / 2
    powers = {quantity: float(slope[-1] - far.sharp) * middle for quantity, slope in far.slopes.items()}
    k = d / 2 + (lam == 0.5)
    # terms of order 1 / ln L: 0.03 and less
    assert [powers["output"], powers["grad_V"]] == pytest.approx([k, k], abs=0.03)
    assert powers["grad_U"] == pytest.approx(k + 2, abs=0.07)


def test_slow_exponents_are_invisible_at_feasible_lengths():
    """For lambda >= 1 the slope at L = 1e6 is far from the exponent: what the report warns of."""
    far = slopes_of(over_queries(1.44, 3))  # the same as above
    at_million = np.argmin(np.abs(np.log(far.lengths / 1e6)))
    for quantity, slope in far.slopes.items():
        assert abs(slope[at_million] - far.sharp) > 4 * abs(slope[-1] - far.sharp), quantity


def test_what_no_float_can_reach_is_said():
    far = far_slopes(averaged(70.0))
    assert not far.reaches
    assert set(far.slopes) == {"output", "grad_V"}  # the gradient in U is beyond its quadrature
    assert exact_error(averaged(70.0), "grad_U", [10]) is None
    assert exact_error(averaged(64.0), "grad_U", [1e10]) is not None
    steep = AttentionSetting(np.eye(1), 70 * np.eye(1), np.eye(1), np.ones(1))
    assert exact_error(steep, "grad_U", [10]) is None
    for s, reaches in ((109, True), (120, False)):
        far = far_slopes(AttentionSetting(np.eye(1), np.sqrt(s) * np.eye(1), np.eye(1), np.ones(1)))
        assert far.reaches == reaches
        assert all((abs(slope[-1] + 1) <= far.margins["output"]) == reaches for slope in far.slopes.values())


def test_far_out_is_where_rare_tokens_occur():
    """One token in 10^12 has a score of 30 and most of the weight."""
    p = 1e-12
    law = atoms([[30.0], [-30.0], [1.0], [-1.0]], [p / 2, p / 2, (1 - p) / 2, (1 - p) / 2])
    far = far_slopes(AttentionSetting(law, np.eye(1), np.eye(1), np.ones(1)))
    assert far.lengths[-1] > 1e20
    assert abs(far.slope[far.lengths == 1e9]) < 0.01
    assert abs(far.slope[-1] + 1) <= far.margins["output"]


def test_a_gradient_without_error_has_no_slope():
    far = far_slopes(AttentionSetting(np.eye(2), np.eye(2), np.eye(2), np.zeros(2)))
    assert set(far.slopes) == {"output", "grad_V"}


@pytest.mark.parametrize("law", [name for name in LAWS if name != "gaussian"])
def test_other_laws_at_one_query(law):
    """Against moments of a sample (6 standard errors), the limit of L times the error, slope -1."""
    setting = EXAMPLES["anisotropic"]().with_law(law)
    first, limit = exact_error(setting, "output", [1.0]), bounds(setting, "output", np.array([1e12]), 1.0)
    last = exact_error(setting, "output", [1e12])
    T = setting.V @ setting.law.tilted(setting.U @ setting.query)[0]
    draws = np.sum((setting.law.sample(np.random.default_rng(4), 2**15) @ setting.V.T - T) ** 2, axis=1)
    assert abs(draws.mean() - first[0]) < 6 * draws.std() / np.sqrt(draws.size)
    assert next(b.values[0] for b in limit if b.name == "limit") == pytest.approx(last[0], rel=1e-9)
    for bound in bounds(setting, "output", np.array([1.0, 1e12]), 1.0):
        if bound.kind == "upper bound" and np.isfinite(bound.values).all():
            assert bound.values[0] >= first[0]
            assert bound.values[1] >= last[0]
    far = far_slopes(setting)
    assert set(far.slopes) == set(QUANTITIES)
    assert all(abs(slope[-1] + 1) <= far.margins[quantity] for quantity, slope in far.slopes.items())


@pytest.mark.parametrize(
    "setting",
    [
        AttentionSetting(uniform(1), 300 * np.eye(1), np.eye(1), np.ones(1)),
        AttentionSetting(rademacher(2), np.eye(2), np.eye(2), query_cov=np.eye(2)),
    ],
    ids=["scores too steep for another law", "another law over queries"],
)
def test_without_an_exact_curve_there_are_no_slopes(setting):
    assert far_slopes(setting) is None
    assert all(exact_error(setting, quantity, [10]) is None for quantity in QUANTITIES)
