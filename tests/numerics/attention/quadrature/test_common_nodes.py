"""One grid of score variances for many queries: closed chi-square means, and no scores."""

import numpy as np
import pytest

from numerics.attention.quadrature.common_nodes import common_nodes
from numerics.attention.quadrature.query_form import quadratic_form_law
from numerics.attention.quadrature.softmax_weights import softmax_moments

LENGTHS = (1.0, 2.0, 1e4, 1e30)


@pytest.mark.parametrize("spectrum", [[1e-9], [1e-3], [0.3, 0.0], [1.0, 1.0, 0.2], [4.0], [0.49] * 6])
def test_means_of_powers_and_exponentials(spectrum):
    nodes, l = common_nodes(LENGTHS, 400.0), np.array(spectrum)
    m = 1.0 + np.arange(l.size)
    one, form = nodes.averages(np.diag(l), np.diag(m))
    assert one.sum() == pytest.approx(1, abs=1e-12)
    assert form.sum() == pytest.approx(m.sum(), rel=1e-12)
    assert one @ nodes.s == pytest.approx(l.sum(), rel=1e-8, abs=1e-10)
    assert form @ nodes.s == pytest.approx(m.sum() * l.sum() + 2 * m @ l, rel=1e-8, abs=1e-10)
    tilted = np.exp(-nodes.s)
    assert one @ tilted == pytest.approx(np.prod((1 + 2 * l) ** -0.5), rel=1e-10)
    assert form @ tilted == pytest.approx(np.prod((1 + 2 * l) ** -0.5) * (m / (1 + 2 * l)).sum(), rel=1e-10)


@pytest.mark.parametrize("top", [1e-4, 0.2, 0.49, 1.5])
def test_averages_of_the_weights_are_those_of_the_other_grid(top):
    L = np.array(LENGTHS)
    nodes, A, M = common_nodes(LENGTHS, 400.0), np.diag([top, top / 3]), np.eye(2)
    law = quadratic_form_law(A, M, log_reach=float(np.log(L.max())), step=0.05)
    m = softmax_moments(law.nodes[:, None], L)
    one, form = nodes.averages(A, M)
    np.testing.assert_allclose(one @ nodes.P2, law.density @ m.P2, rtol=1e-10)
    expected = law.moment @ (m.P2 + 6 * np.asarray(m.P3) - 6 * np.asarray(m.Q))
    np.testing.assert_allclose(form @ nodes.b, expected, rtol=1e-10)


def test_another_step_shows_no_error():
    A, M = np.diag([1.2, 0.4]), np.eye(2)
    first, second = (common_nodes((1e25, 1e50), 1600.0, step) for step in (0.2, 0.17))
    np.testing.assert_allclose(*((n.averages(A, M) @ n.P2) for n in (first, second)), rtol=1e-10)


def test_without_scores_the_weights_are_equal():
    nodes = common_nodes(LENGTHS, 400.0)
    one, form = nodes.averages(np.zeros((2, 2)), np.diag([1.0, 4.0]))
    assert (one @ nodes.P2).tolist() == [1 / L for L in LENGTHS]
    assert (form @ nodes.b).tolist() == pytest.approx([5 / L for L in LENGTHS])


def test_the_linear_start_is_no_approximation():
    nodes = common_nodes(LENGTHS, 400.0)
    small = np.flatnonzero((nodes.s > 0) & (nodes.s < 1e-5))
    assert small.size > 10
    for k in small[[0, small.size // 2, -1]]:
        known = softmax_moments(float(nodes.s[k]), np.array(LENGTHS)).P2
        np.testing.assert_allclose(nodes.P2[k], known, rtol=1e-10)
