"""Gammas stand for factorials where they have values, and equal constants are proved equal."""

import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.provers.identities import identity

a, b = sp.symbols("a b", integer=True, positive=True)
x = sp.Symbol("x")
MANY = sp.Symbol("k", integer=True, nonnegative=True)


@pytest.mark.parametrize(
    ("lhs", "rhs", "proved"),
    [
        (sp.rf(-1, a * b) + a, a, False),  # rf(-1, 1) = -1
        (sp.rf(-2, a + b - 1) + a, a, False),
        (sp.rf(-7, a), 0, False),
        (sp.rf(-a, a) + b, b, False),  # (-1)^a a!
        (sp.ff(-1, MANY) + a, a, False),
        (sp.ff(MANY - 1, MANY) + a, a, False),  # 1 at 0
        (sp.binomial(-1, MANY) + a, a, False),
        (sp.beta(-2, a) + b, b, False),  # beta(-2, 1) = -1/2
        (sp.rf(a, b), sp.gamma(a + b) / sp.gamma(a), True),
        (sp.rf(x, b + 1), (x + b) * sp.rf(x, b), True),
        (sp.ff(x, b + 1), (x - b) * sp.ff(x, b), True),
        (sp.beta(a + 1, b), a / (a + b) * sp.beta(a, b), True),
    ],
    ids=str,
)
def test_a_quotient_of_gammas_is_used_where_it_holds(lhs, rhs, proved):
    assert identity(lhs, rhs).verdict is (Verdict.PROVED if proved else Verdict.REFUTED)
