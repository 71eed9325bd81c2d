"""The public face of the kernel names ranges as one writes them, and refuses what is none."""

from fractions import Fraction

import pytest

from numerics import prove


@pytest.mark.parametrize("values", ["Real", (1,), (0, 1, 2), (0, 0.5), 3, None, (1, 0), ("0", "1")])
def test_what_is_no_range_is_refused(values):
    with pytest.raises(prove.ProofError):
        prove.number("x", values)


def test_an_interval_is_closed_and_a_sign_is_kept():
    x, p = prove.number("x", (Fraction(-1, 2), 1)), prove.number("p", "positive")
    assert prove.formula(prove.show(2 * x, "<=", 2)) == "2 x ≤ 2"
    assert prove.show(0, "<", p).op == "<"
    with pytest.raises(prove.ProofError, match="is not shown"):
        prove.show(x, "<", 1)
