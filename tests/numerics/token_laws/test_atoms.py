"""Laws on finitely many points: their sigma, and digits that must not be lost."""

import math
from fractions import Fraction

import numpy as np
import pytest

from numerics.token_laws import atoms, rademacher
from numerics.token_laws.sub_gaussian import kearns_saul
from tests.numerics.token_laws.tilts import some_tilts


def test_atoms_whose_squares_underflow_have_a_sigma_and_a_close_mean_keeps_its_digits():
    assert atoms([[3e-300], [-3e-300]], [0.5, 0.5]).sigma == pytest.approx(3e-300, rel=1e-12, abs=0)
    # Tilted far, nearly all mass is on one point: what is left of the variance is 1 - tanh^2 =
    # 1/cosh^2.
    for a in (10.0, 18.0, 30.0):
        expected = pytest.approx(np.cosh(a) ** -2, rel=1e-12, abs=0)
        assert atoms([[1.0], [-1.0]], [0.5, 0.5]).tilted([a])[1].item() == expected


def test_sigma_of_atoms_that_is_hundreds_of_deviations():
    """The v that makes sigma is short, and in a direction of its own."""
    p = np.array([3e-7, 1 - 4e-7, 1e-7])
    x = np.array([[0.5, 4.2], [0.0, 0.0], [0.4, 1.6]])
    law = atoms(x - p @ x, p)
    turn = np.linspace(0, np.pi, 181)
    v = np.geomspace(0.1, 100, 300)[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], -1) / law.sigma
    assert np.max(2 * law.log_mgf(v) / (v**2).sum(-1)) <= law.sigma**2
    assert law.sigma > 300 * math.sqrt(np.linalg.eigvalsh(law.covariance)[-1])


@pytest.mark.parametrize("q", [0.5, 0.1, 1e-3])
def test_two_atoms_have_the_sigma_of_kearns_and_saul_in_every_direction(q):
    line = atoms([[1 - q], [-q]], [q, 1 - q])
    assert line.sigma**2 == pytest.approx(kearns_saul(q), rel=3e-6)
    u = np.array([0.6, 0.0, -0.8])
    assert atoms([(1 - q) * u, -q * u], [q, 1 - q]).sigma == pytest.approx(line.sigma, rel=1e-6)
    assert line.sigma**2 >= kearns_saul(q) * (1 - 1e-12)


def test_corners_of_a_square_are_signs_at_their_own_sigma():
    corners = atoms([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], [0.25] * 4)
    assert corners.sigma == pytest.approx(1, abs=1e-12)
    a = some_tilts(corners)
    for x, y in zip(corners.tilted(a), rademacher(2).tilted(a)):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


def test_sigma_of_atoms_is_between_deviation_and_half_the_diameter():
    rng = np.random.default_rng(4)
    for _ in range(5):
        x, p = rng.standard_normal((5, 3)), rng.dirichlet(np.ones(5))
        law = atoms(x - p @ x, p)
        diameter = max(float(np.linalg.norm(s - t)) for s in x for t in x)
        assert np.sqrt(np.linalg.eigvalsh(law.covariance)[-1]) * (1 - 1e-12) <= law.sigma <= diameter / 2


def test_atoms_take_a_given_sigma_and_point_masses():
    assert (atoms([[1.0], [-1.0]], [0.5, 0.5], sigma=3).sigma, atoms([[0.0, 0.0]], [1.0]).sigma) == (3.0, 0)
    tilted = atoms([[1.0], [-1.0]], [0.5, 0.5]).tilted([[1000.0]])
    assert (tilted[0].item(), tilted[1].item()) == (1.0, 0.0)


def test_rational_points_are_kept_exactly():
    half, third = Fraction(1, 2), Fraction(1, 3)
    law = atoms([[1, third], [-1, -third]], [half, half], sigma2=third + 1)
    assert (law.atoms, law.weights, law.sigma2) == (((1, third), (-1, -third)), (half, half), third + 1)
    assert law.sigma == pytest.approx((4 / 3) ** 0.5, rel=1e-15)
    np.testing.assert_array_equal(law.weighted_nodes.nodes, [[1, 1 / 3], [-1, -1 / 3]])
    other = atoms([[1.0], [-1.0]], [0.5, 0.5])
    assert (other.atoms, other.weights, other.sigma2) == ((), (), 1.0)
    # decimals of a third pass for a third, but rational weights are taken at their word
    with pytest.raises(ValueError, match="no probability"):
        atoms([[1], [-1]], [half, Fraction(5 * 10**9 + 1, 10**10)])
    with pytest.raises(ValueError, match="not centred"):
        atoms([[1], [Fraction(-(10**12) + 1, 10**12)]], [half, half])
