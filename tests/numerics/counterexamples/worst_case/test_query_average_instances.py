"""The instances meet the hypotheses of refutations, and Gaussian ones a second route."""

from fractions import Fraction
from itertools import takewhile

import numpy as np
import pytest

from numerics.counterexamples.worst_case.query_average_instances import discrete, instances, statement
from numerics.token_laws.sub_gaussian import certified_proxy


@pytest.mark.parametrize("x", [x for x in discrete() if x.u == 0], ids=lambda x: x.name)
def test_tokens_and_queries_are_as_sub_gaussian_as_the_propositions_ask(x):
    assert x.tokens.sigma2 >= 1
    almost = 1 + Fraction(1, 10**5)  # `certified_proxy` is above the optimal constant by up to that
    if x.d == 1:
        assert certified_proxy([a for (a,) in x.tokens.atoms], x.tokens.weights) <= x.tokens.sigma2 * almost
        assert certified_proxy([q for (q,) in x.query.atoms], x.query.weights) <= almost
    else:  # independent signs
        assert (x.tokens.atoms, len(set(x.tokens.atoms))) == (x.query.atoms, 2**x.d)
        assert {abs(v) for atom in x.tokens.atoms for v in atom} == {1}
        assert set(x.tokens.weights) == set(x.query.weights) == {Fraction(1, 2**x.d)}


def test_gaussian_tokens_against_sampling():
    """One token, where the instance is in closed form: E|z_1 - Gamma U z|^2."""
    rng = np.random.default_rng(2)
    seen = 0
    one = lambda L, s, u, d: 1.0
    found = instances(statement(one, "output"), one, "output")
    for i in takewhile(lambda i: "query" in i.where, found):  # the others come later
        if i.where["U"] <= 4:
            d, sigma, u = int(i.where["d"]), float(i.where["sigma"]), float(i.where["U"])
            token, query = rng.standard_normal((2, 200_000, d))
            error = ((sigma * token - sigma**2 * u * query) ** 2).sum(1)
            assert i.left == pytest.approx(error.mean(), abs=6 * error.std() / np.sqrt(len(error)))
            seen += 1
    assert seen >= 8
