"""Streams of the sampler of scores, and the laws that it takes."""

import math

import numpy as np
import pytest

from numerics.attention.sampled.estimate import attention_errors
from numerics.attention.sampled.scores_only import prepare
from numerics.compiled.streams import key_of
from numerics.token_laws import ball, gaussian, rademacher, sphere
from tests.numerics.attention.sampled.score_problem import NONE, RANDOM, SURE, problem


@pytest.mark.parametrize("kind", ["normal", "ball"])
@pytest.mark.parametrize("random", [False, True])
def test_a_replicate_is_its_number(kind, random):
    A, U, V, z = problem()
    sampler, key = prepare(kind, A, U, V, z, np.sqrt(RANDOM) if random else NONE), key_of(9)
    whole = sampler.values(45, 2**33, 300, key)
    for cut in ((300,), (1, 299), (127, 1, 128, 44), (128, 172), (129, 171)):
        starts = np.cumsum((0, *cut))
        parts = [sampler.values(45, 2**33 + int(start), size, key) for start, size in zip(starts, cut)]
        assert np.array_equal(np.hstack(parts), whole)
    assert len(np.unique(whole[0])) == 300


def test_seeds_and_lengths_have_their_own_streams():
    """Over 2000 replicates correlations stay below 5.2/√2000 (error 2e-7)."""
    A, U, V, z = problem()
    sampler = prepare("normal", A, U, V, z, NONE)
    rows = [sampler.values(8, 0, 2000, key_of(s))[0] for s in (1, 2, 1 + 2**32)]
    rows += [sampler.values(16, 0, 2000, key_of(1))[0], sampler.values(8, 2000, 2000, key_of(1))[0]]
    correlations = np.corrcoef(np.log(rows)) - np.eye(len(rows))
    assert np.abs(correlations).max() < SURE / math.sqrt(2000)


def test_scores_are_drawn_where_that_is_exact():
    _, U, V, z = problem()
    run = lambda law, method: attention_errors(law, U, V, z, [5], replicates=10, seed=1, method=method)
    for law in (np.eye(4), gaussian(np.eye(4)), sphere(4), ball(4)):
        assert run(law, "auto").method == "scores"
        assert np.array_equal(run(law, "auto").output.mean, run(law, "scores").output.mean)
        assert run(law, "tokens").method == "tokens"
    assert run(rademacher(4), "auto").method == "tokens"
    with pytest.raises(ValueError, match='use method = "tokens"'):
        run(rademacher(4), "scores")


@pytest.mark.parametrize("coordinates", ["sign", "uniform", None, len])
def test_laws_without_a_direction(coordinates):
    A, U, V, z = problem()
    with pytest.raises(ValueError, match='use method = "tokens"'):
        prepare(coordinates, A, U, V, z, NONE)
