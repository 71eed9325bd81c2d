"""What is derived of the signal terms of affine and ReLU tasks, and of the laws of tasks: the cited
means hold on spheres, and statements with another number are refused.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from proofs_check.derivations.window import orthogonal_part
from proofs_check.derivations.window.tasks import dependent_mean, pairs, relu_correlation, value_matrix
from proofs_check.derivations.window.uniform import distances, signal_from_above
from tests.proofs_check.collins.test_uniform_tokens import of_sphere


def directions(d, count=400_000):
    u = np.random.default_rng(43).normal(size=(count, d))
    return u / np.linalg.norm(u, axis=1)[:, None]


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("N", [0.0, 0.4, 3.0])
def test_the_cited_divergence_has_the_mean_0(d, N):
    R = lambda t, n: (1 - t**2) ** n
    left = (d - 1 + 2 * N) * of_sphere(d, lambda t: R(t, N) * t**2)
    assert left == pytest.approx(of_sphere(d, lambda t: R(t, N + 1)), rel=1e-7)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_other_coordinates_have_one_mean_square_given_one(d):
    u, N = directions(d), 1.5
    R = (1 - u[:, 1] ** 2) ** N
    assert (d - 1) * (R * u[:, 0] ** 2).mean() == pytest.approx((R * (1 - u[:, 1] ** 2)).mean(), rel=0.01)


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("s", [-0.6, 0.0, 0.8])
def test_the_correlation_is_the_closed_form(d, s):
    u = directions(d)
    gap = np.maximum(0, (1 + s) * u[:, 0] ** 2 - (1 - s) * u[:, 1] ** 2)
    angle = math.acos(s)
    closed = (math.sin(angle) + (math.pi - angle) * math.cos(angle)) / (3 * math.pi * d)
    assert gap.mean() / 6 == pytest.approx(closed, rel=0.02)
    x = np.eye(d)[0]
    y = s * x + math.sqrt(1 - s**2) * np.eye(d)[1]
    assert np.maximum(0, (u @ x) * (u @ y)).mean() / 3 == pytest.approx(closed, rel=0.02)


@pytest.mark.parametrize(("d", "n", "w"), [(2, 4, 3.0), (3, 40, 5.0), (3, 2, 30.0), (4, 10, 9.0)])
def test_a_wider_window_has_the_larger_average_distance(d, n, w):
    """The width of comparison is at least 1, below w, and 1/v is at most 1/w + w^{d/2 - 1}/n."""
    b = w ** (d / 2 - 1) / n
    v = max(1.0, 1 / (1 / w + b))
    assert 1 <= v < w
    assert 1 / v <= 1 / w + b + 1e-12
    x = np.random.default_rng(44).normal(size=(2000, n, d))
    depth = 1 - x[:, :, 0] / np.linalg.norm(x, axis=2)
    averages = [(W * depth).sum(1) / W.sum(1) for W in (np.exp(-2 * at * depth) for at in (v, w))]
    assert (averages[0] >= averages[1] - 1e-12).all()
    assert v ** ((d - 1) / 2) / n <= math.sqrt(v) * b + 1e-12


def test_the_orthogonal_part_has_the_mean_square_of_its_terms():
    d, n, w = 3, 4, 2.0
    x = np.random.default_rng(45).normal(size=(200_000, n, d))
    x /= np.linalg.norm(x, axis=2)[:, :, None]
    t = x[:, :, 0]
    gamma = np.exp(2 * w * t) / np.exp(2 * w * t).sum(1)[:, None]
    across = ((gamma[:, :, None] * x).sum(1)[:, 1:] ** 2).sum(1)
    assert across.mean() == pytest.approx((gamma**2 * (1 - t**2)).sum(1).mean(), rel=0.02)


def test_what_covariates_add_is_least_with_equal_weights():
    """The bound is attained for M = 0, and no bound that is twice as large holds."""
    n, d, v = 3, 2, np.array([1.0, 2.0])
    y = directions(d, 300_000).reshape(-1, n, d) @ v
    assert (y.mean(1) ** 2).mean() == pytest.approx(v @ v / (n * d), rel=0.02)


WRONG = [
    (signal_from_above.affine_statements(power=3)[0], signal_from_above.affine_from_above, 0),
    (signal_from_above.affine_statements(four=Fraction(1, 4))[1], signal_from_above.affine_from_above, 1),
    (signal_from_above.every_width_statements(power=3)[0], signal_from_above.for_every_width, 0),
    (signal_from_above.every_width_statements(share=Fraction(1, 5))[1], signal_from_above.for_every_width, 1),
    (signal_from_above.relu_statements(power=2)[0], signal_from_above.of_relu_tasks, 0),
    (signal_from_above.relu_statements(tokens=Fraction(1, 4))[1], signal_from_above.of_relu_tasks, 1),
    (distances.statement(2), distances.likely, None),
    (orthogonal_part.statement(1), lambda: orthogonal_part.squares_only(orthogonal_part.G), None),
    (orthogonal_part.bound_statement(Fraction(19, 10)), orthogonal_part.by_the_sums, None),
    (relu_correlation.statements(steep=Fraction(9, 10))[0], relu_correlation.lipschitz, None),
    (relu_correlation.statements(constant=2)[1], relu_correlation.correlation, None),
    (relu_correlation.statements(rising=-1)[2], relu_correlation.increasing, None),
    (relu_correlation.square_statement(2), relu_correlation.mean_square, None),
    (pairs.pair_statements(2)[3], pairs.pairs_at_one_angle, 3),
    (value_matrix.statement(2), value_matrix.what_is_added, None),
    (value_matrix.opposite_statements(1)[2], value_matrix.equally_likely, 2),
    (dependent_mean.statement(2), dependent_mean.without, None),
]


def theorem_of(derivation, part):
    return derivation() if part is None else derivation()[part]


@pytest.mark.parametrize(("statement", "derivation", "part"), WRONG, ids=range(len(WRONG)))
def test_another_number_is_refused(statement, derivation, part):
    with pytest.raises(ProofError):
        proved(statement, theorem_of(derivation, part), 20_000)
