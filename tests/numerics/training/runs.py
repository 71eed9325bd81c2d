"""What the tests of a run share."""

import numpy as np

from numerics.training import Training
from numerics.training.parameters import pack


def same(one: Training, two: Training) -> bool:
    arrays = [(x.step, x.risk, x.risk_error, pack(x.parameters), pack(x.initial)) for x in (one, two)]
    return one.diverged == two.diverged and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*arrays))
