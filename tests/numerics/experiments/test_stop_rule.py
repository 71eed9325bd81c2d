"""When a run ends early: never far from its limit or on its way, and by its own numbers alone."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from numerics.experiments.boursier_boyer.stop_rule import BAND, FALL, LEAST_LOOKS, Watch, has_settled, spread
from numerics.training.full_tokens import full_token_kernel
from numerics.training.parameters import Parameters
from numerics.training.result import Training
from numerics.training.run import train


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setattr("numerics.training.run.sgd_kernel", full_token_kernel)


def first_end(excess: Callable[[float], float], looks: int = 400) -> int | None:
    """The look at which a run with this excess after k looks ends."""
    seen = [excess(k) for k in range(1, looks + 1)]
    return next((k for k in range(1, looks + 1) if has_settled(seen[:k])), None)


@pytest.mark.parametrize("drop", [0.5, 3.0, 10.0])
@pytest.mark.parametrize("pace", [0.3, 2.0, 7.0, 20.0])
def test_an_exponential_approach_has_less_than_the_fall_left(drop, pace):
    """Also above a level at which the risk fluctuates for ever."""
    for level in (0.0, 0.005):
        end = first_end(lambda k, level=level: level + drop * math.exp(-k / pace))
        assert end is not None
        assert drop * math.exp(-end / pace) < FALL


@pytest.mark.parametrize("plateau", [1, 5, 12, 40])
def test_who_leaves_a_plateau_late_goes_on_for_as_long_again(plateau):
    end = first_end(lambda k: 0.5 if k <= plateau else 0.001)
    assert end is not None
    # quarters are whole looks
    assert max(LEAST_LOOKS, 2 * plateau) >= end >= max(LEAST_LOOKS, 2 * plateau - 3)


def test_who_stands_elsewhere_or_still_falls_goes_on_to_the_last_step():
    assert first_end(lambda k: 1.1 * BAND) is None
    assert first_end(lambda k: -1.1 * BAND) is None  # a limit that is wrong ends no run
    assert first_end(lambda k: math.inf) is None
    # falls as much from quarter to quarter
    assert first_end(lambda k: BAND - 8 * FALL * math.log(k), looks=80) is None
    assert first_end(lambda k: 0.9 * BAND) == LEAST_LOOKS


def test_a_run_that_only_fluctuates_ends_without_a_bias():
    """One look after the deciding one, not at it: 4000 runs, 6 standard errors, below 1e-8."""
    rng, level, last, deciding = np.random.default_rng(3), 0.004, [], []
    for _ in range(4000):
        seen = list(level / 5 * rng.chisquare(5, 50))  # heavy to the right, as the risk of SGD
        end = next((k for k in range(1, 50) if has_settled(seen[:k])), 49)
        deciding.append(seen[end - 1])
        last.append(seen[end])
    error = level * math.sqrt(2 / 5) / math.sqrt(4000)
    assert abs(np.mean(last) - level) < 6 * error
    assert abs(np.mean(deciding) - level) > 6 * error


def run(steps: int = 24, until: Callable[[Training], bool] | None = None) -> Training:
    return train("linear", 3, d=2, batch=8, lr=0.01, steps=steps, every=1, seed=1, until=until)


def counted(values: Sequence[float], training: Training) -> tuple[Callable[[Parameters], float], list[int]]:
    """A risk of the parameters of this run after each record, and the records that were asked."""
    place = {record.tobytes(): i for i, record in enumerate(training.parameters.K)}
    asked: list[int] = []

    def risk(parameters: Parameters) -> float:
        asked.append(place[parameters.K.tobytes()])
        return values[asked[-1]]

    return risk, asked


def test_a_run_ends_by_its_records_in_however_many_pieces_it_is_asked():
    whole = run()
    risk, asked = counted([1.5] * 3 + [1.0] * 21, whole)
    ended = run(until=Watch(risk, 1.0, every=1))
    assert ended.stopped == 9  # a look after the eighth, the first at which the third quarter is at the limit
    assert asked == [*range(8)]  # each record once, and not the one that is drawn
    assert np.array_equal(ended.parameters.Q, whole.parameters.Q[:9])
    # Whoever goes on from a checkpoint asks a new watch in the middle, and gets the same answer.
    for at in range(1, 10):
        part = run(steps=at)
        assert Watch(counted([1.5] * 3 + [1.0] * 21, whole)[0], 1.0, every=1)(part) == (at == 9)
    risk, asked = counted([1.0] * 24, whole)
    assert run(until=Watch(risk, 1.0, every=2)).stopped == 18
    assert asked == [*range(1, 16, 2)]


def test_far_from_the_limit_no_risk_is_computed():
    """On its way to infinity a run has no population risk that could be computed."""

    def none(parameters: Parameters) -> float:
        raise AssertionError("asked for a risk")

    assert run(until=Watch(none, 1e-9, every=1)).stopped is None


def test_the_spread_is_that_of_the_later_half():
    whole = run()
    values = [9.0, 7.0, 5.0, 1.0, *np.linspace(2.0, 2.5, 20)]
    risk, asked = counted(values, whole)
    assert spread(whole, risk, every=1) == (values[12], values[23])
    assert asked == [*range(12, 24)]
    assert spread(whole, risk, every=3) == (values[14], values[23])
