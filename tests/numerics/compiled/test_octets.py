"""Eight floats at once: those of NumPy, not-a-numbers too; rows that lie apart are refused."""

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from numerics.compiled.simd import (
    WIDTH,
    exp8,
    larger,
    least,
    load,
    rounded_product,
    smaller,
    splat,
    store,
    total,
)


@njit
def worked(a, b, out):
    for i in range(0, a.size, WIDTH):
        x, y = load(a, i), load(b, i)
        z = 2.0 - x * y / 3.0
        z += splat(1.0)
        z -= 0.5
        z *= larger(x, y)
        z /= smaller(x, y)
        store(out, i, z)
    return total(load(out, 0)), least(load(out, 0))


@njit
def sums_of_two(a, b, out):
    for i in range(0, a.size, WIDTH):
        x, y = load(a, i), load(b, i)
        store(out, i, rounded_product(x, x) + rounded_product(y, y))


@njit
def exponentials(x, out):
    for i in range(0, x.size, WIDTH):
        store(out, i, exp8(load(x, i)))


def test_arithmetic_is_that_of_numpy():
    a, b = np.random.default_rng(0).normal(size=(2, 5 * WIDTH))
    out = np.empty_like(a)
    found = worked(a, b, out)
    np.testing.assert_allclose(out, (2.5 - a * b / 3) * np.maximum(a, b) / np.minimum(a, b), rtol=1e-14)
    np.testing.assert_allclose(found, (out[:WIDTH].sum(), out[:WIDTH].min()), rtol=1e-14)


def test_a_rounded_product_is_rounded_before_it_is_added_to():
    a, b = np.random.default_rng(1).normal(size=(2, 500 * WIDTH))
    out = np.empty_like(a)
    sums_of_two(a, b, out)
    assert np.array_equal(out, a * a + b * b)


def test_exponentials_are_those_of_numpy():
    x = np.concatenate([np.linspace(-700, 700, 10_000 * WIDTH), np.linspace(-1, 1, 1000 * WIDTH)])
    out = np.empty_like(x)
    exponentials(x, out)
    np.testing.assert_allclose(out, np.exp(x), rtol=4.5e-16)
    exponentials(np.array([0.0, -0.0, -701.0, -np.inf, np.nan, 1.0, -1e-300, -1e300]), out)
    np.testing.assert_allclose(out[:WIDTH], np.exp([0, 0, -700, -700, np.nan, 1, 0, -700]), rtol=4.5e-16)
    assert out[0] == out[1] == out[6] == 1
    assert out[2] == out[3] == out[7], "what lies below the range is its end"


def test_rows_that_lie_apart_are_refused():
    with pytest.raises(TypingError, match=r"not in array.*pass numpy"):
        exponentials(np.zeros((WIDTH, WIDTH)).T, np.zeros((WIDTH, WIDTH)))
