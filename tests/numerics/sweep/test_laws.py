"""Token laws that travel as JSON."""

import json
from typing import Any

import numpy as np
import pytest

from numerics.sweep.laws import describe_gaussian, describe_law, describe_own, law_of
from numerics.token_laws import atoms, ball, rademacher, sphere, uniform

SHEAR = np.array([[1.0, 0.3], [0.0, 0.1]])
OWN = """
from numerics.token_laws import TokenLaw
def signs():
    return TokenLaw("signs", 2, 1.0, lambda rng, n: 1.0 - 2.0 * rng.integers(2, size=(n, 2)))
"""


def sent(description: dict[str, Any]) -> Any:
    return law_of(json.loads(json.dumps(description)))


@pytest.mark.parametrize(
    "law",
    [
        rademacher(2), uniform(2), sphere(2), ball(2),
        atoms([[2.0, 0.0], [-1.0, 1 / 3], [-1.0, -1 / 3]], [1 / 3] * 3),
        sphere(2).image(SHEAR), rademacher(2).image(SHEAR),
    ],
    ids=lambda law: law.name,
)  # fmt: skip
def test_a_built_in_law_arrives_bit_for_bit(law):
    back = sent(describe_law(law))
    draw = lambda law: law.sample(np.random.default_rng(1), 100)
    assert np.array_equal(draw(back), draw(law))
    assert (back.name, back.d, back.sigma) == (law.name, law.d, law.sigma)
    assert describe_law(back) == describe_law(law)


def test_a_covariance_arrives_bit_for_bit():
    Gamma = np.array([[1 / 3, 0.1], [0.1, 1e-300]])
    assert sent(describe_gaussian(Gamma)).tobytes() == Gamma.tobytes()


def test_a_law_of_ones_own_arrives_as_its_text():
    law = sent(describe_own(OWN, "signs"))
    assert (law.d, set(law.sample(np.random.default_rng(0), 50).ravel())) == (2, {-1.0, 1.0})
    image = sent(describe_own(OWN, "signs", SHEAR))
    plain, sheared = (x.sample(np.random.default_rng(0), 50) for x in (law, image))
    assert np.allclose(sheared, plain @ SHEAR.T)
    with pytest.raises(ValueError, match="cannot be written down; put the code that makes it into a file"):
        describe_law(law)
