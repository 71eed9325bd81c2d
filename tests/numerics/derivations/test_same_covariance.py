"""What the rule of Gaussian families with one covariance accepts."""

import pytest

from numerics.derivations.derived import exp
from numerics.derivations.kernel.values import integrable
from tests.numerics.derivations.attacks.attacks_on_gaussian_families import INTEGRABLE, g, i, j, k, rule, y


def test_a_family_with_one_covariance():
    assert (rule().op, rule(y(i) ** 2 * exp(y(k) - y(j))).op) == ("==", "==")


@pytest.mark.parametrize("e", INTEGRABLE, ids=str)
def test_softmax_weights_have_all_moments(e):
    assert integrable(e, g)
