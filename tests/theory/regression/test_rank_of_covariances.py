"""Which directions of a covariance count, and what is said of those that rounding loses."""

import math
import warnings

import numpy as np
import pytest
import sympy as sp

from theory.regression.limit import limit_parameters

RNG = np.random.default_rng(20240607)

ROTATION = np.array([[0.6, 0.8], [-0.8, 0.6]])


@pytest.mark.parametrize("exponent", [14, 15, 16, 20, 200])
def test_a_diagonal_matrix_has_no_rank_question(exponent):
    """gamma^-4 is the sum of the squared inverses, whatever their sizes."""
    least = 10.0**-exponent
    limit = limit_parameters(np.diag([1.0, least]))
    assert limit.gamma == pytest.approx(math.sqrt(least), rel=1e-14)
    assert limit.U[1, 1] * limit.V[2, 2] == pytest.approx(1 / least, rel=1e-14)


def test_units_do_not_lose_the_rank_of_correlated_variables():
    unit = sp.Rational(1, 2**40)
    exact = sp.Matrix([[1, unit / 2], [unit / 2, unit**2]])
    found, known = limit_parameters(np.array(exact.tolist(), dtype=float)), limit_parameters(exact)
    assert found.gamma == pytest.approx(float(known.gamma), rel=1e-14)
    assert np.allclose(found.U, np.array(known.U, dtype=float), rtol=1e-13, atol=0)


@pytest.mark.parametrize(
    ("Sigma", "gamma"),
    [
        ([[1e200, 0.0], [0.0, 1e-160]], 1e-80),
        ([[1e300, 1e-5], [1e-5, 1e-300]], 1e-150),
        ([[1e308, 1e303], [1e303, 1e307]], 1.01**-0.25 * 10**153.5),
    ],
)
def test_variances_of_any_two_sizes_count(Sigma, gamma):
    assert limit_parameters(Sigma).gamma == pytest.approx(gamma, rel=1e-6)


def test_a_rank_lost_in_rounding_is_said_or_refused():
    turned = ROTATION @ np.diag([1e16, 1.0]) @ ROTATION.T
    lost = "rank 1 of 2 (1 directions count as zero, as they are lost in rounding errors)"
    assert lost in limit_parameters(turned).regime
    assert "rank 1 of 2;" in limit_parameters([[1, 1], [1, 1]]).regime
    near = 10**15
    with pytest.raises(ValueError, match=r"given exactly, but floats cannot tell its rank.*SymPy Matrix"):
        limit_parameters([[near + 1, near], [near, near]])


def test_ill_conditioned_sigma_warns_with_its_condition_number():
    turned = ROTATION @ np.diag([1.0, 1e-10]) @ ROTATION.T
    with pytest.warns(RuntimeWarning, match=r"condition number 1\.08e\+10 .* variance one") as caught:
        limit_parameters(turned)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limit_parameters(ROTATION @ np.diag([1.0, 1e-7]) @ ROTATION.T)
        limit_parameters(np.diag([1.0, 1e-10]))
        limit_parameters(sp.diag(1, sp.Rational(1, 10**10)))
