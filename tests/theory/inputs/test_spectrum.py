"""Eigenvalues of covariances of every grading against multiple precision; which count as zero."""

import warnings
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from tests.refusing import refusals
from theory.inputs.arrays import read_covariance
from theory.inputs.spectrum import (
    RankWarning,
    covariance_factor,
    onto_range,
    say_if_lost,
    spectrum,
    symmetric_root,
)


def graded(seed, d, rank=None, octaves=100):
    """A covariance of correlated variables in units that differ by up to 2^octaves."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((d, rank or d + 2))
    units = np.exp2(rng.integers(-octaves, octaves + 1, d))
    return B @ B.T * units[:, None] * units


@pytest.mark.parametrize("seed", range(6))
def test_every_eigenvalue_has_its_own_digits(seed):
    d = 2 + seed % 4
    S = graded(seed, d)
    S[0, 1:] = S[1:, 0] = 0.0 if seed == 5 else S[0, 1:]
    with mp.workdps(400):
        known = np.array([float(x) for x in mp.eigsy(mp.matrix(S.tolist()), eigvals_only=True)])
    found = spectrum(S)
    assert np.allclose(found.values, np.sort(known), rtol=1e-11, atol=0)
    assert found.lost == 0
    assert np.allclose(found.vectors.T @ found.vectors, np.eye(d), atol=1e-14)
    variances = np.sqrt(np.outer(np.diag(S), np.diag(S)))
    F, R = covariance_factor(S), symmetric_root(S)
    assert np.allclose(F @ F.T / variances, S / variances, rtol=0, atol=1e-13)
    assert np.allclose(R, R.T, rtol=1e-14, atol=0)


@pytest.mark.parametrize("units", [1.0, 2.0**-200, 2.0**200])
def test_units_of_powers_of_two_change_nothing(units):
    for S in (graded(1, 3), graded(2, 4, rank=2), np.diag([1.0, 0.0, 1e-20]), np.full((2, 2), 0.5)):
        here, there = spectrum(S), spectrum(S * units)
        assert np.allclose(here.values * units, there.values, rtol=1e-14, atol=0)
        assert here.lost == there.lost


@pytest.mark.parametrize("octaves", [0, 30])
@pytest.mark.parametrize("rank", [1, 2, 4])
def test_the_range_is_kept_and_what_is_across_it_vanishes(rank, octaves):
    S = graded(3, 4, rank=rank, octaves=octaves)
    P, deviations = onto_range(S), np.sqrt(np.diag(S))
    assert np.allclose(P, P.T, atol=1e-15)
    assert np.allclose(P @ P, P, atol=1e-14)
    assert np.trace(P) == pytest.approx(rank, rel=1e-14)
    kept, whole = S @ P / deviations[:, None], S / deviations[:, None]
    assert np.allclose(kept, whole, rtol=0, atol=1e-13 * deviations.max())


@pytest.mark.parametrize("octaves", [0, 60])
@pytest.mark.parametrize("d", [2, 5, 40])
def test_a_product_of_low_rank_has_that_rank(d, octaves):
    for seed, rank in enumerate({1, d // 2, d - 1}):
        found = spectrum(graded(seed, d, rank=rank, octaves=octaves))
        assert (len(found.values), found.lost) == (rank, d - rank)


@pytest.mark.parametrize(
    ("S", "rank"),
    [
        (np.zeros((3, 3)), 0),
        (np.ones((3, 3)), 1),
        (np.diag([1e300, 1e-300, 0.0]), 2),
        (np.array([[4.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1e-30]]), 2),
        (np.array([[1e-300, 1e-310], [1e-310, 1e-300]]), 2),
    ],
)
def test_what_is_zero_exactly_is_no_loss(S, rank):
    found = spectrum(S)
    assert (len(found.values), found.lost) == (rank, 0)


def test_a_matrix_that_is_indefinite_by_rounding_keeps_what_is_larger():
    # The determinant of the block is negative.
    S = np.array([[1.0, 1e-8, 0.0], [1e-8, 1e-18, 0.0], [0.0, 0.0, 1e-30]])
    found = spectrum(S)
    assert found.values.tolist() == pytest.approx([1e-30, 1.0])
    assert found.lost == 1


def test_equal_rows_beside_a_small_one_have_a_condition():
    a = 2.0**-60
    S = np.array([[1.0, 1.0, a], [1.0, 1.0, a], [a, a, 2 * a * a]])  # an eigenvalue a^2 is found to no digit
    assert spectrum(S).condition > 1e8
    exact = [[Fraction(x) for x in row] for row in S.tolist()]
    with pytest.raises(ValueError, match="given exactly, but floats cannot tell"):
        read_covariance("Gamma", exact)
    for seed in range(3):
        assert spectrum(graded(seed, 5, rank=3)).condition < 1e8


test_what_is_no_covariance_of_floats_is_refused = refusals(
    (lambda: read_covariance("Gamma", np.diag([1.0, -1e-20])), "Gamma has the eigenvalue -1e-20"),
    (lambda: spectrum(np.full((2, 2), 1e308)), r"beyond the range of floats.*choose other units"),
)


@pytest.mark.parametrize("kind", [int, Fraction])
def test_an_exact_matrix_whose_rank_floats_cannot_tell_is_refused(kind):
    exact = lambda rows: np.array([[kind(x) for x in row] for row in rows], dtype=object)
    with pytest.raises(ValueError, match=r"given exactly.*keep 1 of 2 directions"):
        read_covariance("Gamma", exact([[10**15 + 1, 10**15], [10**15, 10**15]]))
    for large in (2**53, 10**17):  # the matrix of the floats is singular, and that to the last digit
        with pytest.raises(ValueError, match=r"given exactly.*keep 1 of 2 directions"):
            read_covariance("Gamma", exact([[large + 1, large], [large, large]]))
    assert read_covariance("Gamma", exact([[10**15, 0], [0, 1]]))[1, 1] == 1
    assert read_covariance("Gamma", exact([[4, 2], [2, 1]]))[0, 1] == 2
    third = Fraction(1, 3)  # of rank one, which the matrix of its floats is not
    assert spectrum(read_covariance("Gamma", [[1, third], [third, third**2]])).values.size == 1


def test_an_answer_that_rests_on_lost_directions_is_said():
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    S = turn @ np.diag([1e16, 1.0]) @ turn.T
    F = covariance_factor(S)
    why = "the variance of what is seen cannot be told from rounding errors of S"
    with pytest.warns(RankWarning, match=why):
        say_if_lost("S", S, F, {"what is seen": (turn[:, 1:].T, 0.0)})
    equal = np.ones((2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        say_if_lost("S", S, F, {"what is seen": (turn[:, :1].T, 0.0)})
        say_if_lost("S", S, F, {"what is seen, but of no account": (turn[:, 1:].T, 2.0)})
        say_if_lost("S", equal, covariance_factor(equal), {"a difference": (np.array([[1.0, -1.0]]), 0.0)})
