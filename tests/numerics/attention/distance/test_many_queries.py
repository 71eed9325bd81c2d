"""The distance for many queries at once: beside the exact engine for one, beside a simulation, and
at its ends."""

import numpy as np
import pytest

from numerics import AttentionSetting, exact_errors
from numerics.attention.distance.many_queries import LARGEST_SPREAD, distances, relative_root
from numerics.token_laws import embedding_table

LENGTHS = np.array([1.0, 2, 3, 17, 128, 4096, 1e7, 1e12])


def problem(n, d, steep, seed):
    """Keys, values and queries of a table whose coordinates differ in size."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.exp(rng.standard_normal(d))
    return X, X @ rng.standard_normal((d, d)) * steep / d**0.5, rng.standard_normal((3, d)), rng


@pytest.mark.parametrize(("n", "d", "steep"), [(400, 4, 1.0), (100, 2, 6.0), (40, 3, 0.01), (2, 1, 1.0)])
def test_each_query_has_the_distances_of_the_exact_engine(n, d, steep):
    X, keys, V, rng = problem(n, d, steep, n)
    queries = rng.standard_normal((2, d))
    found = distances(keys, X @ V.T, np.full(n, 1 / n), queries)
    to_limit, from_linear = found.errors(LENGTHS)
    U = np.linalg.lstsq(X, keys, rcond=None)[0]
    for i, z in enumerate(queries):
        exact = exact_errors(AttentionSetting(embedding_table(X), U, V, z), lengths=LENGTHS)
        least = 1e-12 * np.trace(V @ V.T)
        np.testing.assert_allclose(to_limit[i], exact.output, rtol=1e-5, atol=least)
        known = np.isfinite(exact.from_linear)
        assert known.sum() > 4
        np.testing.assert_allclose(from_linear[i, known], exact.from_linear[known], rtol=1e-5, atol=least)


def test_the_slope_is_that_of_the_errors():
    X, keys, V, rng = problem(60, 3, 1.0, 5)
    found = distances(keys, X @ V.T, np.full(60, 1 / 60), rng.standard_normal((3, 3)))
    below, above = found.error(np.array([900.0, 1100.0]))
    slope = np.log(above / below) / np.log(11 / 9)
    np.testing.assert_allclose(found.slope(np.array([1000.0])), slope, rtol=1e-9)
    assert -1.1 < slope < -0.9


def test_a_simulation_finds_the_same_for_tokens_that_are_not_equally_likely():
    X, keys, V, rng = problem(50, 3, 1.0, 7)
    p = rng.dirichlet(np.ones(50))
    queries, L, prompts = rng.standard_normal((4, 3)), np.array([1, 5, 60]), 4000
    values = X @ V.T - p @ (X @ V.T)
    centred = keys - p @ keys
    found = distances(keys, X @ V.T, p, queries).from_linear(L.astype(float))
    for length, exact in zip(L, found):
        held = rng.choice(50, (prompts, length), p=p)
        squares = np.zeros(prompts)
        for q in queries:
            w = np.exp(centred @ q)[held]
            gap = np.einsum("bl,blv->bv", w / w.sum(1, keepdims=True), values[held])
            squares += ((gap - (values * p[:, None]).T @ centred @ q) ** 2).sum(1) / len(queries)
        assert abs(squares.mean() - exact) < 4 * squares.std() / prompts**0.5


def test_a_row_twice_as_likely_is_a_row_that_stands_there_twice():
    X, keys, V, rng = problem(30, 3, 1.0, 2)
    p, twice = np.ones(30), np.append(np.arange(30), [4, 4, 9])
    p[[4, 9]] = 3, 2
    queries = rng.standard_normal((2, 3))
    one = distances(keys, X @ V.T, p / p.sum(), queries).errors(LENGTHS)
    other = distances(keys[twice], (X @ V.T)[twice], np.full(33, 1 / 33), queries).errors(LENGTHS)
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_keys_and_values_may_be_moved():
    X, keys, V, rng = problem(30, 3, 1.0, 2)
    queries, p = rng.standard_normal((2, 3)), np.full(30, 1 / 30)
    one = distances(keys, X @ V.T, p, queries).errors(LENGTHS)
    other = distances(keys + 5.0, X @ V.T - 3.0, p, queries).errors(LENGTHS)
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_long_prompts_end_at_the_limit_and_flat_scores_at_averages():
    X, keys, V, rng = problem(60, 3, 1.0, 5)
    p, queries = np.full(60, 1 / 60), rng.standard_normal((3, 3))
    found = distances(keys, X @ V.T, p, queries)
    np.testing.assert_allclose(found.errors(np.array([1e12]))[1][:, 0], found.apart, rtol=1e-5)
    flat = distances(keys, X @ V.T, p, 0 * queries)
    values = X @ V.T - (X @ V.T).mean(0)
    np.testing.assert_allclose(flat.error(LENGTHS), (values**2).sum(1).mean() / LENGTHS, rtol=1e-5)
    assert flat.size.tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(relative_root(flat.errors(LENGTHS)[0].T, flat.size)[0]).all()


def test_scores_too_far_apart_are_refused():
    one = np.array([[0.0], [1.0]])
    distances(one, one, np.full(2, 0.5), np.array([[LARGEST_SPREAD / 4]]))
    with pytest.raises(ValueError, match="scale them down"):
        distances(one, one, np.full(2, 0.5), np.array([[2 * LARGEST_SPREAD]]))


def test_the_standard_error_of_a_ratio_is_that_of_many_samples():
    rng = np.random.default_rng(0)
    sizes = rng.exponential(size=(4000, 50))
    squares = sizes * rng.uniform(0, 2, sizes.shape) ** 2
    found = [relative_root(a[None], b) for a, b in zip(squares, sizes)]
    roots, errors = np.array(found)[..., 0].T
    assert abs(errors.mean() / roots.std() - 1) < 0.1
