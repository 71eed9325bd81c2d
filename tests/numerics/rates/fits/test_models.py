"""Laws beside each other: which are rejected, and when lengths cannot show the exponent."""

import numpy as np
import pytest

from numerics.attention.curve import exact_error
from numerics.attention.exponents import theorem_B_law
from numerics.rates.fits.models import Models, far_models, rate_models
from tests.numerics.rates.settings import averaged

L = np.geomspace(10, 1e4, 10).round()
POWER = 2.0 / L * (1 + 0.2 / L)
LOGS = 2.0 * np.log(L) ** 1.5 / L


def models(truth: np.ndarray, relative: float, seed: int = 0, **known: float | None) -> Models:
    y = truth * (1 + relative * np.random.default_rng(seed).standard_normal(L.size))
    return rate_models(L, y, relative * truth, exact=truth, **known)


def test_a_power_law_shows_its_exponent():
    for seed in range(40):
        found = models(POWER, 0.02, seed, sharp=1.0, order=1.0)
        assert found.shows, found.says
        assert "A L^-a (1 + B/L)" in {m.name for m in found.models if m.honest}
        assert [m.name for m in found.models if m.excluded] == ["A (ln L)^k L^-a, k fitted"]
        assert sum(m.akaike_weight for m in found.models) == pytest.approx(1)


def test_without_theory_laws_that_disagree_hide_it():
    """A power of the logarithm describes it as well, with another exponent."""
    bent = 2.0 / L * np.exp(-2.5 / L)
    alone = rate_models(L, bent, 0.01 * bent)
    assert not alone.shows
    assert "disagree" in alone.says
    assert rate_models(L, bent, 0.01 * bent, exact=bent, sharp=1.0).shows


@pytest.mark.parametrize("relative", [0.003, 0.01, 0.03])
@pytest.mark.parametrize(("lam", "d"), [(0.5, 1), (1.0, 1), (1.44, 2), (2.0, 1)])
def test_feasible_lengths_cannot_show_what_logarithms_hide(lam, d, relative):
    """Theorem B at L = 10 to 10000 with errors of 0.3 to 3 %: never shown, whatever the noise."""
    setting = averaged(lam, d)
    exact, theorem = exact_error(setting, "output", L), theorem_B_law(setting)
    assert exact is not None
    known = {"sharp": float(theorem.exponent), "order": None, "log_power": float(theorem.log_power)}
    for seed in range(5):
        found = models(exact, relative, seed, **known)
        assert not found.shows, found.says
    assert abs(found.models[0].bias or 0) > 0.02  # the straight line, 5 to 50 of its standard errors off
    assert abs(found.models[0].bias or 0) > 5 * found.models[0].fit.standard_error


def test_the_right_power_without_further_terms_is_found():
    """Control: a curve of exactly the fitted form shows its exponent once measured well."""
    found = models(LOGS, 1e-3, sharp=1.0, order=None, log_power=1.5)
    assert found.shows, found.says
    assert next(m.name for m in found.models if not m.rejected).startswith("A (ln L)^1.5")


def test_a_bias_that_vanishes_by_accident_is_not_honest():
    """A law without logarithms, asked for the exponent it finds in a curve with them."""
    wrong = rate_models(L, LOGS, 0.05 * LOGS, exact=LOGS, sharp=1.0, order=None, log_power=1.5).models[1]
    lucky = wrong.fit.exponent
    found = rate_models(L, LOGS, 0.05 * LOGS, exact=LOGS, sharp=lucky, order=None, log_power=1.5).models[1]
    assert found.bias == pytest.approx(0, abs=1e-12)
    assert found.honest is False


def test_what_no_law_shows_is_told_apart():
    bumpy = models(POWER * (1 + 0.2 * np.sin(np.arange(L.size))), 0.01, sharp=1.0, order=1.0)
    assert all(m.rejected for m in bumpy.models)
    coarse = models(POWER, 0.4, sharp=1.0, order=1.0)
    for found, says in ((bumpy, "rejects every law"), (coarse, "no law gives the exponent to 0.05")):
        assert not found.shows
        assert says in found.says


def test_without_theory_agreement_is_all_there_is():
    found = rate_models(L, POWER, 0.01 * POWER)
    assert found.shows
    assert "no exact curve" in found.says
    assert all(m.bias is None and m.honest is None for m in found.models)


def test_rounding_for_an_error_breaks_nothing():
    """Averages over all but the scores may not vary at all; what is left is rounding, 1e-6."""
    found = models(2.0 / L, 1e-6, sharp=1.0, order=1.0)
    assert found.shows, found.says
    assert found.models[1].fit.exponent == pytest.approx(1, abs=1e-5)


def test_far_out_the_power_of_the_logarithm_matters():
    far = 10.0 ** np.arange(20, 101, 10)
    found = dict(far_models(far, far**-0.4 * np.log(far) ** 2 * (1 + 3 / np.log(far)), 2.0))
    assert abs(found["A L^-a"] - 0.4) > 0.01
    assert found["A (ln L)^2 L^-a (1 + B/ln L)"] == pytest.approx(0.4, abs=1e-5)
    assert not any("B/L" in name for name in found)
