"""Exact curves are the errors of the engine, whose second routes stand beside it."""

import numpy as np
import pytest

from numerics import exact_errors
from numerics.attention.curve import exact_error
from numerics.attention.examples import EXAMPLES
from numerics.attention.setting import QUANTITIES

LENGTHS = [1, 2, 300, 1e12]


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_curve_is_the_error_of_the_engine(name, quantity):
    setting = EXAMPLES[name]()
    engine = getattr(exact_errors(setting, lengths=LENGTHS, tolerance=1e-5), quantity)
    np.testing.assert_allclose(exact_error(setting, quantity, LENGTHS), engine, rtol=2e-5)
