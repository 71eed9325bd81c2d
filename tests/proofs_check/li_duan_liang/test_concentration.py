"""The exact probabilities beside (9) of Li, Duan & Liang refute a bound that fails."""

from fractions import Fraction

from sympy import exp

from numerics.evidence import Verdict
from proofs_check.li_duan_liang.setting.concentration import exactly, x

HALF, QUARTER = (Fraction(1, 2),), (Fraction(1, 4),)


def test_a_bound_below_the_exact_probability_is_refuted():
    assert exactly(QUARTER, 2 * exp(-x / 2)).verdict is Verdict.SUPPORTED
    found = exactly(QUARTER, 2 * exp(-4 * x))  # twice the exponent that Hoeffding's inequality gives
    assert found.verdict is Verdict.REFUTED
    assert float(Fraction(found.witness["missed"])) > found.witness["bound"]


def test_the_bound_of_9_is_not_sharp_by_orders_of_magnitude():
    assert exactly(HALF, 3 * exp(-x / 25) / 10**10).verdict is Verdict.SUPPORTED
    assert exactly(HALF, 3 * exp(-x / 25) / 10**11).verdict is Verdict.REFUTED
