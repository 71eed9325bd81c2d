"""What the rule of Gaussian families with one covariance accepts."""

import pytest

from numerics.derivations.derived import exp
from numerics.derivations.kernel.values import integrable
from tests.numerics.derivations.attacks.attacks_on_gaussian_families import (
    c,
    g,
    i,
    j,
    k,
    n,
    rule,
    score,
    total,
    xi,
    y,
)


def test_a_family_with_one_covariance():
    assert (rule().op, rule(y(i) ** 2 * exp(y(k) - y(j))).op) == ("==", "==")


@pytest.mark.parametrize(
    "e",
    [
        exp(score(j)) / total,
        xi(n, g) * exp(score(j)) / total**2,
        1 / (exp(score(j)) + score(k) ** 2),
        1 / (c + exp(score(j)) * exp(score(k))),
        1 / (1 + score(j) ** 2),
        1 / exp(-score(j)),
    ],
    ids=str,
)
def test_softmax_weights_have_all_moments(e):
    assert integrable(e, g)
