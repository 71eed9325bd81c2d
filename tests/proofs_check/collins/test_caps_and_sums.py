"""What Appendices D, G and I of Collins et al. are derived as is no more than what was derived."""

from fractions import Fraction

import pytest

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from proofs_check.derivations.window import large_sums, rearranged
from proofs_check.derivations.window.uniform import kernel_sum_order, narrower


def below(**numbers):
    return kernel_sum_order.statements(**numbers)[0]


def above(**numbers):
    return kernel_sum_order.statements(**numbers)[1]


DERIVED = {
    "D.2": (narrower.growth_statement, narrower.noise_grows, dict(power=1)),
    "G.3 from above": (large_sums.upper_statement, large_sums.sums_from_above, dict(two=Fraction(3, 2))),
    "G.3 from below": (large_sums.lower_statement, large_sums.sums_from_below, dict(constant=2)),
    "G.5 from below": (below, kernel_sum_order.sums_from_below, dict(dimensions=Fraction(3, 2))),
    "G.5 from above": (above, kernel_sum_order.sums_from_above, dict(dimensions=Fraction(1, 2))),
    "I.2": (rearranged.statement, rearranged.hardy_littlewood, dict(share=2)),
}


@pytest.mark.parametrize("name", DERIVED)
def test_another_number_is_refused(name):
    statement, theorem, wrong = DERIVED[name]
    assert proved(statement(), theorem()).op == statement().op
    with pytest.raises(ProofError):
        proved(statement(**wrong), theorem())
