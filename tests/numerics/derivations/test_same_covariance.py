"""What the rule of Gaussian families with one covariance accepts."""

import math

import numpy as np
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


def test_the_law_is_that_of_the_other_family():
    """The mean of y^2 e^y is one integral for xi and a double one for 3 xi/5 + 4 xi'/5."""
    x, w = np.polynomial.hermite_e.hermegauss(60)
    w = w / w.sum()
    F = lambda y: y**2 * np.exp(y)
    one, two = w @ F(0.7 * x), w @ F(0.7 * (0.6 * x[:, None] + 0.8 * x)) @ w
    assert math.isclose(one, two, rel_tol=1e-10)
    assert not math.isclose(one, w @ F(0.7 * (0.6 * x[:, None] + 0.9 * x)) @ w, rel_tol=1e-2)


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
