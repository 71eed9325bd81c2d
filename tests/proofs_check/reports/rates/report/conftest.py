"""Two runs that the tests of a report share: measuring them takes longer than the tests."""

import pytest

from numerics.attention.examples import EXAMPLES
from numerics.rates.measure import rates


@pytest.fixture(scope="package")
def run():
    return rates(EXAMPLES["anisotropic"](), [1, 2, 10, 30, 100, 300, 1000], replicates=1000, seed=2)


@pytest.fixture(scope="package")
def slow():
    return rates(EXAMPLES["averaged-slow"](), [5, 10, 20, 40, 80, 160], replicates=4000, seed=2)
