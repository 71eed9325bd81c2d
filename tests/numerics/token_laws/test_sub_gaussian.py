"""Variance proxies: closed form, maximisation, proof, and the definition."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.token_laws.sub_gaussian import certified_proxy, kearns_saul, optimal_proxy

WEIGHT = st.integers(1, 30)


@pytest.mark.parametrize("q", [1e-6, 1e-3, 0.1, 0.3, 0.49, 0.4999, 0.5, 0.7])
def test_the_closed_form_is_the_maximum(q):
    # 1e-7: the stated accuracy of the maximisation near q = 1/2, where it stops at t = 0.01
    assert optimal_proxy([1 - q, -q], [q, 1 - q]) == pytest.approx(kearns_saul(q), rel=1e-7)


def test_the_closed_form_is_symmetric_and_continuous_at_one_half():
    q = np.array([1e-3, 0.2, 0.4])
    np.testing.assert_allclose(kearns_saul(q), kearns_saul(1 - q), rtol=1e-14)
    step = np.array([0.5 - 4.9e-5, 0.5 - 5.1e-5])  # on either side of the switch to the series
    assert np.ptp(kearns_saul(step)) < 1e-9
    assert kearns_saul(F(1, 2)) == 0.25


@pytest.mark.parametrize("q", [0, 1, F(0), -0.1, np.array([0.5, 1.0])])
def test_an_atom_without_mass_is_refused(q):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        kearns_saul(q)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(-9, 9), WEIGHT), min_size=2, max_size=4, unique_by=lambda a: a[0]))
def test_a_certified_proxy_dominates_and_is_nearly_attained(pairs):
    total = sum(w for _, w in pairs)
    weights = [F(w, total) for _, w in pairs]
    mean = sum(p * x for p, (x, _) in zip(weights, pairs))
    atoms = [x - mean for x, _ in pairs]
    proxy = float(certified_proxy(atoms, weights))
    x, p = np.array(atoms, dtype=float), np.array(weights, dtype=float)
    t = np.concatenate([s * np.geomspace(1e-2, 200, 20000) for s in (1, -1)]) / np.ptp(x)
    shift = (t[:, None] * x).max(1)
    used = 2 * (shift + np.log(np.exp(t[:, None] * x - shift[:, None]) @ p)) / t**2
    assert used.max() <= proxy
    assert max(used.max(), p @ x**2) > 0.9999 * proxy


def test_scaling_the_law_scales_the_proxy():
    atoms, weights = np.array([3.0, 0.0, -1.0]), np.array([1 / 8, 1 / 2, 3 / 8])
    both = optimal_proxy(np.stack([atoms, 7 * atoms], axis=1), np.stack([weights, weights], axis=1))
    assert both[1] == pytest.approx(49 * both[0], rel=1e-12)


def test_a_law_off_centre_or_without_total_mass_is_refused_and_one_without_spread_needs_no_proxy():
    with pytest.raises(ValueError, match="not centred"):
        certified_proxy([F(1), F(0)], [F(1, 2)] * 2)
    with pytest.raises(ValueError, match="no probability"):
        certified_proxy([F(1), F(-1)], [F(1, 3)] * 2)
    assert certified_proxy([F(0)], [F(1)]) == 0


def test_the_proof_refuses_a_proxy_that_is_too_small(monkeypatch):
    """Control: with the variance of a skewed law no number of cells is enough."""
    import numerics.token_laws.sub_gaussian as module

    monkeypatch.setattr(module, "CELLS", 300)
    monkeypatch.setattr(module, "optimal_proxy", lambda atoms, weights: 0.09 * 1.0001)
    with pytest.raises(ArithmeticError, match="could not prove"):
        certified_proxy([F(9, 10), F(-1, 10)], [F(1, 10), F(9, 10)])


def test_of_several_peaks_the_highest_counts():
    """Three atoms, some with peaks of nearly equal height; a dense grid is second route."""
    rng = np.random.default_rng(5)
    mass = np.exp(np.stack([rng.uniform(-8, 8, 3000), np.zeros(3000), rng.uniform(-8, 8, 3000)]))
    weights = mass / mass.sum(0)
    atoms = np.stack([np.zeros(3000), rng.uniform(0, 1, 3000), np.ones(3000)])
    uneven = [[0, 0.54336182, 1], [0.959834360, 0.0401354297, 3.02302397e-5]]
    atoms[:, 0], weights[:, 0] = uneven[0], np.array(uneven[1]) / sum(uneven[1])
    atoms -= (weights * atoms).sum(0)
    found = optimal_proxy(atoms, weights)
    for t in np.outer([1, -1], np.geomspace(1e-2, 300, 1500)).ravel():
        assert ((2 * np.log((weights * np.exp(t * atoms)).sum(0)) / t**2) <= found * (1 + 1e-9)).all()
