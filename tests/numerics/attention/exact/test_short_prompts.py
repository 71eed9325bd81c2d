"""Sums over all short prompts against the same sums in sixty digits, for any size of scores."""

import math

import mpmath as mp
import numpy as np
import pytest

from numerics.attention.exact.enumeration import compositions
from numerics.attention.exact.short_prompts import are_few, short_prompt_errors
from numerics.token_laws.atomic import Atomic

#: A direction of the outputs.
TURN = np.array([0.6, -0.8])


def by_definition(x, p, b, matrices, towards, L):
    """The fields in many digits, from differences that need not be small."""
    many = lambda a: np.vectorize(mp.mpf, otypes=[object])(a)
    x, p, b, W, X = map(many, (x, p, b, *matrices))
    e = np.array([mp.exp(s) for s in x @ b])

    def moments(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q = weights / weights.sum()
        m = q @ x
        return m, (x.T * q) @ x - np.outer(m, m)

    h, H = moments(p * e)
    zero = mp.mpf(0)
    out, bias = {"mean 0": zero, "mean 1": zero, "covariance 1": zero}, 0 * h
    for counts in compositions(L, len(p)).tolist():
        chance = mp.mpf(math.factorial(L))
        for n, each in zip(counts, p):
            chance *= each**n / math.factorial(n)
        m, C = moments(e * many(counts))
        out["mean 0"] += chance * ((m - h) @ W @ (m - h))
        out["mean 1"] += chance * ((m - h) @ X @ (m - h))
        out["covariance 1"] += chance * np.trace(W @ (C - H) @ X @ (C - H))
        bias = bias + chance * (m - h)
    return out | {"bias": bias @ W @ bias, "along": bias @ many(towards)}


@pytest.mark.parametrize("loud", [1e-6, 1.0, 10.0, 30.0])
@pytest.mark.parametrize(("k", "d", "L"), [(2, 1, 2), (2, 1, 12), (4, 2, 3), (3, 3, 1)])
def test_against_many_digits(loud, k, d, L):
    rng = np.random.default_rng(k * d)
    p = np.full(k, 1 / k)
    x = rng.standard_normal((k, d))
    x -= p @ x
    V, b = rng.standard_normal((2, d)), rng.standard_normal(d)
    b *= loud / np.linalg.norm(b)
    matrices, law = [V.T @ V, np.eye(d)], Atomic(x, p)
    _, y, _ = law.about(b)
    with mp.workdps(60):
        expected = by_definition(x, p, b, matrices, V.T @ TURN, L)
        values, errors = short_prompt_errors(y, p, b, law.tilted(b)[1], matrices, V.T @ TURN, L)
        for name, value in expected.items():
            assert abs(values[name] - value) <= errors[name] + 1e-15 * abs(value), name
            if (
                name not in ("bias", "along") or loud > 1e-6
            ):  # the mean that scores turn is as small as they are
                assert errors[name] <= 1e-9 * abs(values[name]), name


def test_what_is_few():
    assert are_few(3, 2, 1)
    assert are_few(2, 1, 64.0)
    assert not are_few(2, 1, 1e100)
    assert not are_few(2, 3000, 1)
