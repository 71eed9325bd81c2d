"""Known maxima: inside, in a corner, in a narrow valley, and among several peaks."""

import numpy as np
import pytest

from numerics.counterexamples.worst_case.maximise import maximise, refine


def rosenbrock(x: np.ndarray) -> np.ndarray:
    return -(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)


def many_peaks(x: np.ndarray) -> np.ndarray:
    return np.cos(3 * np.pi * x).prod(0) - (x**2).sum(0)


@pytest.mark.parametrize("seed", range(5))
def test_known_maxima(seed):
    rng = np.random.default_rng(seed)
    value, x = maximise(rosenbrock, [(-2, 2), (-2, 2)], rng)
    assert value > -1e-8
    assert x == pytest.approx([1, 1], abs=1e-3)
    assert maximise(many_peaks, [(-2, 2)] * 3, rng)[0] == pytest.approx(1, abs=1e-6)
    value, x = maximise(lambda x: x.sum(0), [(-1, 2), (0, 3)], rng)
    assert (value, x.tolist()) == (5.0, [2.0, 3.0])


def test_a_start_is_used_and_never_lost():
    needle = lambda x: np.where(np.abs(x - 0.123456).max(0) < 1e-9, 1.0, 0.0)
    value, x = maximise(needle, [(0, 1), (0, 1)], np.random.default_rng(0), [(0.123456, 0.123456)])
    assert (value, x.tolist()) == (1.0, [0.123456, 0.123456])
    assert refine(needle, [(0, 1), (0, 1)], np.random.default_rng(0), x, np.eye(2))[0] == 1.0


def test_the_same_stream_finds_the_same():
    one, two = (maximise(many_peaks, [(-2, 2)], np.random.default_rng(3)) for _ in range(2))
    assert (one[0], one[1].tolist()) == (two[0], two[1].tolist())
