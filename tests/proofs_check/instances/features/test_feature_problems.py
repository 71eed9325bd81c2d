"""The instances of learning over features; only what two routes agree on is refuted."""

from collections import Counter

import numpy as np
import pytest

from numerics.evidence import Verdict
from numerics.regression.features.descent import attention_descent
from proofs_check.instances.compared import Compared, agree
from proofs_check.instances.features.problems import descended, exchangeable, hexagon, roots_of_E8
from theory.regression.features.orbits import LATTICES


def test_the_roots_have_the_inner_products_of_the_lattice():
    V = roots_of_E8()
    found = Counter((2 * V.T @ V[:, 0]).round().astype(int).tolist())
    assert found == Counter(LATTICES["E8"][2])


def test_plain_descent_is_compiled_descent():
    problem = exchangeable(hexagon(), probabilities=np.arange(1, 7) / 21)
    assert np.allclose(descended(problem, 0.5, 20), attention_descent(problem, 0.5, 20).Q[-1], rtol=1e-12)


@pytest.mark.parametrize(
    ("again", "verdict"),
    [(2.0, Verdict.REFUTED), (1.5, Verdict.OPEN)],
    ids=["two routes agree", "they differ"],
)
def test_a_number_that_is_off_is_refuted_by_two_routes(again, verdict):
    case = Compared("two", 2.0, 1.0, lambda: again)
    assert agree("quadrature", [case], 0.1, checked="2=1").verdict is verdict


def test_numbers_that_agree_are_shown():
    found = agree("quadrature", [Compared("one", 1.0, 1.001, lambda: 1.0)], 0.1, checked="1=1.001")
    assert (found.verdict, found.covered) == (Verdict.SUPPORTED, "one: 1 of 1.001")
