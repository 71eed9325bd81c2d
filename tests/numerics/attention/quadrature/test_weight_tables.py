"""Tables of weights against their quadrature, exact derivatives and closed averages."""

import math

import numpy as np
import pytest

from numerics.attention.quadrature.gaussian_transforms import laplace_transforms
from numerics.attention.quadrature.query_moments import query_moments
from numerics.attention.quadrature.softmax_weights import mean_products, softmax_moments
from numerics.attention.quadrature.weight_tables import X_EDGES, weight_table

POWERS = tuple(tuple((k, 0) for k in powers) for powers in ((2,), (3,), (2, 2), (4,), (2, 3), (2, 2, 2)))


@pytest.mark.parametrize("L", [2.0, 40.0, 1e30])
def test_values_and_derivatives(L):
    """dP2/ds and db/ds as polynomials in the power sums, which the table does not know."""
    variances = np.exp(np.random.default_rng(int(math.log(L))).uniform(-9, 4, 25))
    table = weight_table(L)(variances)
    for i, s in enumerate(variances):
        means = mean_products(laplace_transforms(float(s), math.log(L), POWERS), np.array([L]), POWERS)
        P2, P3, Q, P4, P23, P222 = (float(means[key][0]) for key in POWERS)
        b = P2 + 6 * P3 - 6 * Q
        assert table.P2[i] == pytest.approx(P2, rel=1e-12)
        assert table.b[i] == pytest.approx(b, rel=1e-12)
        assert table.kept2[i] == pytest.approx(1 - b, rel=1e-11, abs=1e-13)
        assert table.dP2[i] == pytest.approx(P2 - 4 * P3 + 3 * Q, rel=1e-10, abs=1e-14)
        # 132 P23 and its like cancel where one token has all the weight
        expected = P2 + 14 * P3 - 9 * Q - 78 * P4 + 132 * P23 - 60 * P222
        assert table.db[i] == pytest.approx(expected, rel=1e-8, abs=1e-13)


def test_both_kinds_of_panels_agree_where_they_meet():
    edge = (1 + X_EDGES[-1]) ** 2 - 1
    below, above = (weight_table(2.0)(np.array([edge * (1 + e)])) for e in (-1e-12, 1e-12))
    for name, x, y in zip(below._fields, below, above):
        assert y == pytest.approx(x, rel=1e-6 if name == "db" else 1e-9)
    for s in np.nextafter(edge, [0.0, edge, np.inf]):  # nothing falls between them
        np.testing.assert_allclose(weight_table(2.0)(np.array([s])).P2, below.P2, rtol=1e-9)


def test_the_largest_scores():
    """sqrt(s)(1 - P2) -> E max of two normal numbers, 1/sqrt(pi), and P2 + s (1 - b) -> 1."""
    s = np.array([1e12, 1e40])
    m = weight_table(2.0)(s)
    np.testing.assert_allclose(np.sqrt(s) * m.kept, 1 / math.sqrt(math.pi), rtol=1e-11)
    # s (1 - b) itself is 1 - P2, of the size of 1/sqrt(s), and the means leave their last digits in
    # it
    np.testing.assert_allclose(s * m.kept2, m.kept, rtol=1e-6, atol=1e-14)


def test_no_scores_and_one_token():
    none, one = weight_table(9.0)(np.zeros(1)), weight_table(1.0)(np.array([0.0, 3.0]))
    assert none.P2[0] == pytest.approx(1 / 9, rel=1e-13)
    assert none.b[0] == pytest.approx(1 / 9, rel=1e-13)
    assert (one.P2 == 1).all()
    assert not np.any([one.kept, one.kept2, one.dP2, one.db])


def test_a_table_grows_without_changing_what_it_said():
    from numerics.attention.quadrature.weight_tables import WeightTable

    table = WeightTable(2)
    first = table(np.array([0.3]))
    far = table(np.array([1e6]))
    assert table(np.array([0.3])).P2 == first.P2
    assert far.P2[0] == pytest.approx(softmax_moments(1e6, 2).P2, rel=1e-12)


SPECTRA = [
    [2.0], [1.0, 0.3, 0.0], [1.0, 1e-5, 1e-9], [1e4, 1.0], [1e-200, 1e-200], [0.5] * 9, [0.02] * 130,
    [1.0] + [0.01] * 100,
]  # fmt: skip


@pytest.mark.parametrize("eigenvalues", SPECTRA, ids=lambda l: f"{len(l)} from {l[0]}")
def test_averages_over_the_query(eigenvalues):
    """Under the tilt e^{-cs} the x_i are independent with variance 1 / (1 + 2 c lambda_i)."""
    l = np.array(eigenvalues)
    for c in (0.0, 30.0):
        query = query_moments(l)
        g, v = np.exp(-c * query.s), 1 / (1 + 2 * c * l)
        mean = float(np.sqrt(v.prod()))
        # a large one beside a hundred small ones loses digits
        error = 1e-7 if eigenvalues[-1] == 0.01 else 1e-11
        assert query.mean(g) == pytest.approx(mean, rel=error)
        np.testing.assert_allclose(query.second(g), mean * v, rtol=error)
        np.testing.assert_allclose(query.fourth(g), mean * (np.outer(v, v) + 2 * np.diag(v**2)), rtol=error)
